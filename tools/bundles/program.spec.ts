import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../provision/project-root.js';

const SOURCES = join(projectRoot, 'tools', 'bundles');
/** Mapping of the second line of the bundle to the first line of `sample.ts`. */
const MAP = { version: 3, sources: ['sample.ts'], names: [], mappings: ';AAAA' };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  copyFileSync(join(SOURCES, 'program.mjs'), path('program.js'));
  writeFileSync(path('package.json'), '{"type": "module"}');
  writeFileSync(path('sample.js'), "import { runProgram } from './program.js';\nrunProgram(import.meta.url);\n");
});

afterEach(() => rmSync(folder, { recursive: true }));

function path(name: string): string {
  return join(folder, name);
}

function writeBundle(id: string, code: string): void {
  const map = Buffer.from(JSON.stringify(MAP)).toString('base64');
  writeFileSync(
    path('sample.cjs'),
    `//${id.padEnd(62)}\n${code}\n//# sourceMappingURL=data:application/json;base64,${map}`,
  );
}

function makeCache(): void {
  node([join(SOURCES, 'code-cache.mjs'), path('sample.cjs'), path('sample.cache')]);
}

/** Returns what the program printed. */
function run(...options: readonly string[]): string {
  return node([...options, path('sample.js')]);
}

/** Returns whether V8 rejects the cache of a bundle; undefined if there is none for the bundle. */
function rejected(bundles: string, name: string, ...options: readonly string[]): boolean | undefined {
  const [program, bundle, cache] = ['program.js', `${name}.cjs`, `${name}.cache`].map((file) => join(bundles, file));
  const code = `
    import { compileWithCache } from ${JSON.stringify(pathToFileURL(program ?? '').href)};
    const { cachedDataRejected = null } = compileWithCache(${JSON.stringify(bundle)}, ${JSON.stringify(cache)});
    console.log(cachedDataRejected);`;
  return JSON.parse(node([...options, '--input-type=module', '-e', code])) ?? undefined;
}

function node(args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

describe('a bundled program', () => {
  it.each(['control-plane', 'platform-api', 'worker', 'admin', 'thread-main'])('of %s has a code cache', (name) => {
    expect(rejected(join(projectRoot, 'dist', 'bundles'), name)).toBe(false);
  });

  it('runs with and without a code cache', () => {
    writeBundle('a', 'console.log(typeof exports, typeof module.exports, require("node:path").basename(__filename))');
    expect(run()).toBe('object object sample.cjs');
    expect(rejected(folder, 'sample')).toBeUndefined();
    makeCache();
    expect(run()).toBe('object object sample.cjs');
    expect(rejected(folder, 'sample')).toBe(false);
  });

  it('ignores the code cache of a bundle with another id, also if it is as long', () => {
    writeBundle('a', 'console.log("former")');
    makeCache();
    writeBundle('b', 'console.log("latter")');
    expect(rejected(folder, 'sample')).toBeUndefined();
    expect(run()).toBe('latter');
  });

  it('compiles the bundle if V8 rejects its code cache', () => {
    writeBundle('a', 'console.log("runs")');
    makeCache();
    // V8 compares its options like its version.
    expect(rejected(folder, 'sample', '--max-lazy')).toBe(true);
    expect(run('--max-lazy')).toBe('runs');
    writeFileSync(path('sample.cache'), readFileSync(path('sample.cache')).subarray(0, -16));
    expect(rejected(folder, 'sample')).toBe(true);
    expect(run()).toBe('runs');
    writeFileSync(path('sample.cache'), '');
    expect(run()).toBe('runs');
  });

  it('maps the positions of errors with --enable-source-maps', () => {
    writeBundle('a', 'console.log(new Error("mapped").stack)');
    makeCache();
    expect(run()).toContain('sample.cjs:2:');
    expect(run('--enable-source-maps')).toContain('sample.ts:1:');
  });
});
