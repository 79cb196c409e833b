// The entry of the npm commands: `node tools/run.mjs <command> [arguments]`. Brings dependencies and dist/ up to date
// where they are not, then runs the command in this process. It prints to standard error only: standard output belongs
// to the command.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { takeLock } from './lock.mjs';

const commands = {
  admin: 'tools/admin/main',
  bench: 'bench/main',
  demo: 'tools/demo/main',
  generate: 'tools/generate/main',
  rego: 'tools/rego/cli',
  start: 'tools/start/main',
  test: 'tools/test/main',
  worker: 'tools/worker/main',
};
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const dist = join(root, 'dist');
const [command = '', ...args] = process.argv.slice(2);

requireNode();
const entry =
  commands[command] ?? fail(`There is no command "${command}". Known: ${Object.keys(commands).join(', ')}.`);
bringUpToDate(modules, installedFrom, install);
bringUpToDate(dist, builtFrom, build);
const main = join(dist, `${entry}.js`);
if (!existsSync(main)) fail(`The command "${command}" is not part of this version (${entry}.ts is missing).`);
process.argv = [process.execPath, main, ...args];
await import(pathToFileURL(main).href);

function requireNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [major, minor] = wanted.split('.').map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  fail(`Node ${wanted} or newer is needed; this is ${process.versions.node}.`);
}

/** Runs `make` unless the stamp in the folder says that it was made from what is there now; one process at a time. */
function bringUpToDate(folder, madeFrom, make) {
  const stamp = join(folder, '.made-from');
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === madeFrom();
  if (isCurrent()) return;
  const release = lock(folder);
  try {
    if (isCurrent()) return;
    const from = madeFrom();
    make();
    writeFileSync(stamp, from);
  } finally {
    release();
  }
}

function lock(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    return takeLock(join(folder, '.lock'));
  } catch (error) {
    return fail(`Cannot write to ${folder}: ${error.message}`);
  }
}

/** What the dependencies depend on: the lock file, and the platform that optional packages are chosen for. */
function installedFrom() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return hash([lock, process.platform, process.arch, process.versions.modules]);
}

function install() {
  process.stderr.write('Installing dependencies (half a minute, once) ...\n');
  // "npm install" and not "npm ci": npm 11 leaves platforms that the registry lacks out of the lock file, and then
  // refuses to install from it.
  const npmArgs = ['install', '--no-audit', '--no-fund', '--include=dev', '--include=optional', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const [program, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  const { status } = spawnSync(program, [...first, ...npmArgs], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail('npm install failed (see above). Check the connection to the npm registry, then try again.');
}

/** What dist/ is compiled from: name, size and time of every source. */
function builtFrom() {
  const seen = [];
  const visit = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (/(?<!spec)\.ts$|^build\.mjs$/.test(entry.name)) seen.push(describeFile(path));
    }
  };
  for (const folder of ['apps', 'libs', 'tools', 'bench']) if (existsSync(join(root, folder))) visit(folder);
  return hash([...seen.toSorted((a, b) => (a < b ? -1 : 1)), describeFile('.swcrc')]);
}

function describeFile(path) {
  const { size, mtimeMs } = statSync(join(root, path));
  return `${path} ${size} ${mtimeMs}\n`;
}

function build() {
  const built = spawnSync(process.execPath, [join(root, 'tools/build.mjs')], { cwd: root, stdio: ['ignore', 2, 2] });
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
