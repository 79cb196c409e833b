// The entry point of a policy thread in tests. Like Jest, it compiles TypeScript sources to CommonJS when they are
// loaded. The output is cached by content and options.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { threadId } = require('node:worker_threads');
const { paths } = require('../../tsconfig.json').compilerOptions;
const options = require('./swc-options.cjs');

const root = path.join(__dirname, '..', '..');
const cache = path.join(root, 'node_modules', '.cache', 'policy-thread');
mkdirSync(cache, { recursive: true });

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...others) {
  const lib = /^@app\/([^/]+)$/.exec(request);
  if (lib !== null) return indexOf(lib[1]);
  const source =
    parent?.filename?.endsWith('.ts') && request.startsWith('.') ? request.replace(/\.js$/, '.ts') : request;
  return resolve.call(this, source, parent, ...others);
};
Module._extensions['.ts'] = (module, file) => module._compile(compile(file), file);

require(path.join(root, 'libs/domains/policies/src/evaluation-threads/thread-main.ts'));

function indexOf(lib) {
  const index = paths['@app/*'].map((pattern) => path.join(root, pattern.replace('*', lib))).find(existsSync);
  if (index === undefined) throw new Error(`There is no lib @app/${lib}`);
  return index;
}

function compile(file) {
  const source = readFileSync(file, 'utf8');
  const hash = createHash('sha256').update(JSON.stringify(options)).update(file).update(source).digest('hex');
  const output = path.join(cache, `${hash.slice(0, 32)}.js`);
  if (existsSync(output)) return readFileSync(output, 'utf8');
  const { transformSync } = require('@swc/core');
  const { code } = transformSync(source, {
    ...options,
    filename: file,
    sourceMaps: 'inline',
  });
  // Written atomically, because several processes may write it at once.
  const temporary = `${output}.${process.pid}.${threadId}`;
  writeFileSync(temporary, code);
  renameSync(temporary, output);
  return code;
}
