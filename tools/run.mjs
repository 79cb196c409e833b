// The entry point of the npm commands: `node tools/run.mjs <command> [arguments]`. Installs the dependencies and builds
// dist/ if they are out of date, then runs the command in this process. Prints to standard error only, because standard
// output belongs to the command.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { acquireLock } from './lock.js';

const COMMANDS = {
  admin: 'bundles/admin',
  bench: 'bench/main',
  chaos: 'tools/chaos/main',
  demo: 'tools/demo/main',
  generate: 'tools/generate/main',
  images: 'tools/images/main',
  programs: 'tools/programs/main',
  rego: 'tools/rego/cli',
  release: 'tools/release/main',
  start: 'tools/start/main',
  test: 'tools/test/main',
  'tool-server': 'tools/start/tool-server',
  worker: 'tools/start/worker',
};
/** The commands whose platform serves the web console. Others do not wait for its build. */
const WITH_CONSOLE = ['start', 'test'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const dist = join(root, 'dist');
const [command = '', ...args] = process.argv.slice(2);

requireNodeVersion();
const entry = COMMANDS[command] ?? fail(`Unknown command "${command}". Commands: ${Object.keys(COMMANDS).join(', ')}.`);
ensureCurrent(modules, dependencyFingerprint, install);
ensureCurrent(dist, sourceFingerprint, () => runScript('tools/build.mjs'));
if (WITH_CONSOLE.includes(command)) {
  ensureCurrent(join(dist, 'console'), consoleFingerprint, () => runScript('tools/build-console.mjs'));
}
const main = join(dist, `${entry}.js`);
if (!existsSync(main)) fail(`The command "${command}" is not part of this version (${entry}.ts is missing).`);
process.argv = [process.execPath, main, ...args];
await import(pathToFileURL(main).href);

function requireNodeVersion() {
  const required = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [major, minor] = required.split('.').map(Number);
  const [actualMajor, actualMinor] = process.versions.node.split('.').map(Number);
  if (actualMajor > major || (actualMajor === major && actualMinor >= minor)) return;
  fail(`Node ${required} or newer is required; this is ${process.versions.node}.`);
}

/** Runs `make`, one process at a time, unless the folder was made from the current inputs. */
function ensureCurrent(folder, fingerprint, make) {
  const stamp = join(folder, '.made-from');
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();
  if (isCurrent()) return;
  const release = lock(folder);
  try {
    if (isCurrent()) return;
    // Computed first: an input that changes during `make` leads to another run.
    const inputs = fingerprint();
    make();
    writeFileSync(stamp, inputs);
  } finally {
    release();
  }
}

function lock(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    return acquireLock(join(folder, '.lock'));
  } catch (error) {
    return fail(`Cannot write to ${folder}: ${error.message}`);
  }
}

/**
 * Hash of the inputs of an install: the lock file, and the platform, which determines the optional packages. Their
 * addons use Node-API, so they do not depend on the version of Node.
 */
function dependencyFingerprint() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return hash([lock, process.platform, process.arch]);
}

function install() {
  process.stderr.write('Installing dependencies (about a minute, only once) ...\n');
  // Not "npm ci": it deletes node_modules, and with it the lock that this process holds there.
  const npmArgs = ['install', '--no-audit', '--no-fund', '--include=dev', '--include=optional', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const [program, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  const { status } = spawnSync(program, [...first, ...npmArgs], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail('npm install failed (see above). Check the connection to the npm registry, then try again.');
}

/** Hash of the inputs of a build: path, size and modification time of every source, and the version of Node. */
function sourceFingerprint() {
  const isSource = (path) =>
    !path.startsWith('apps/console/') && /(?<!spec)\.ts$|\/(build|program|code-cache)\.mjs$|\/lock\.js$/.test(path);
  return hash([
    ...descriptionsOf(['apps', 'libs', 'tools', 'bench', 'examples', 'test/tool-server/conformance'], isSource),
    describeFile('.swcrc'),
    describeFile('nest-cli.json'),
    // The code caches are for one version.
    process.version,
  ]);
}

/** Hash of the inputs of the console's build, with the lock file for the packages that it contains. */
function consoleFingerprint() {
  const isInput = (path) => !/spec\.tsx?$/.test(path);
  return hash([
    ...descriptionsOf(['apps/console', 'libs/alone/api-client/src'], isInput),
    describeFile('tools/build-console.mjs'),
    describeFile('tools/console-budgets.json'),
    readFileSync(join(root, 'package-lock.json')),
  ]);
}

/** Describes the files below folders that a build reads, ordered by path. */
function descriptionsOf(folders, isInput) {
  const descriptions = [];
  const visit = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      // What `npm pack` makes of a package is not a source.
      if (entry.isDirectory() && entry.name !== 'dist') visit(path);
      else if (entry.isFile() && isInput(path)) descriptions.push(describeFile(path));
    }
  };
  for (const folder of folders) if (existsSync(join(root, folder))) visit(folder);
  return descriptions.toSorted((a, b) => (a < b ? -1 : 1));
}

function describeFile(path) {
  const { size, mtimeMs } = statSync(join(root, path));
  return `${path} ${size} ${mtimeMs}\n`;
}

function runScript(path) {
  const built = spawnSync(process.execPath, [join(root, path)], { cwd: root, stdio: ['ignore', 2, 2] });
  if (built.status !== 0) fail('The build failed (see above).');
}

function hash(parts) {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part).update('\0');
  return sum.digest('hex');
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
