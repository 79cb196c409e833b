// Runs the bundled programs. The build copies this file to dist/bundles/, where `control-plane.js` runs
// `control-plane.cjs` with V8's code cache `control-plane.cache`: compiling the bundle would take a third of the CPU
// time of a start. The build makes the cache, so programs can run from a read-only folder. V8 rejects a cache that was
// made by another version of V8, with other V8 options or on another kind of processor, and compiles the bundle instead.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

// A bundle is a CommonJS module. The head has no line break, so that the lines in source maps stay correct.
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const TAIL = '\n})';

/** Length of the id of a bundle, in its first line and at the start of its cache. */
export const ID_LENGTH = 64;

/** Runs the bundle with the name of the module with this URL. */
export function runProgram(url) {
  const base = fileURLToPath(url).replace(/\.js$/, '');
  const bundle = `${base}.cjs`;
  // With --enable-source-maps: Node maps positions only of modules that it has loaded itself.
  if (process.sourceMapsEnabled) createRequire(bundle)(bundle);
  else runBundle(bundle, compileWithCache(bundle, `${base}.cache`));
}

/** Returns the source of a bundle as a function expression. */
export function readBundle(bundle) {
  const content = readFile(bundle, HEAD, TAIL);
  // The build writes ASCII only. A Latin-1 string of this length is outside V8's heap.
  const source = content.latin1Slice();
  release(content);
  return source;
}

/** Returns the id of a bundle, the hash of its content. */
export function bundleId(source) {
  return source.slice(HEAD.length, HEAD.length + ID_LENGTH);
}

export function compileBundle(bundle, source, cachedData) {
  return new Script(source, { filename: bundle, cachedData });
}

export function runBundle(bundle, script) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, dirname(bundle));
}

/** Returns the script of a bundle. It is compiled only if there is no cache or V8 rejects it. */
export function compileWithCache(bundle, cache) {
  const source = readBundle(bundle);
  const cached = readCache(cache, bundleId(source));
  const script = compileBundle(bundle, source, cached?.subarray(ID_LENGTH));
  if (cached !== undefined) release(cached);
  return script;
}

/**
 * Returns undefined if there is no cache of the bundle with this id. V8 compares only the lengths of the sources, and a
 * build can replace the files between two reads.
 */
function readCache(cache, id) {
  try {
    const content = readFile(cache);
    return content.latin1Slice(0, ID_LENGTH) === id ? content : undefined;
  } catch {
    return undefined;
  }
}

function readFile(path, head = '', tail = '') {
  const descriptor = openSync(path);
  try {
    const { size } = fstatSync(descriptor);
    const maxByteLength = head.length + size + tail.length;
    const content = Buffer.from(new ArrayBuffer(maxByteLength, { maxByteLength }));
    content.latin1Write(head);
    for (let read = 0; read < size;) read += readSync(descriptor, content, head.length + read, size - read, read);
    content.latin1Write(tail, head.length + size);
    return content;
  } finally {
    closeSync(descriptor);
  }
}

/** Frees the memory of a buffer of `readFile` at once, which otherwise waits for the next full garbage collection. */
function release({ buffer }) {
  buffer.resize(0);
}
