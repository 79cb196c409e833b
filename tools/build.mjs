// Compiles every TypeScript source into dist/ with the same layout and the builder options of nest-cli.json, and
// removes outputs without a source. `nest build` writes the same files in place; here servers may start and run from
// dist/ during a build: dist/ is never emptied, each changed file is replaced by an atomic rename, and unchanged files
// are not written.
//
// Then bundles each program with its packages into one file in dist/bundles/: Node reads one file instead of 3,500,
// which halves the CPU time of a start. V8's code cache of the bundle (tools/bundles/program.mjs) halves it again. The
// programs run from the bundles; the other files are for the tools and for readers.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ID_LENGTH } from './bundles/program.mjs';
import { build } from 'esbuild';

/** The entry points by bundle name. A program loads the policy thread from its own folder. */
const PROGRAMS = {
  'control-plane': 'apps/control-plane/src/main.js',
  'platform-api': 'apps/platform-api/src/main.js',
  worker: 'apps/worker/src/main.js',
  'tool-server': 'apps/tool-server/src/main.js',
  admin: 'tools/admin/main.js',
  'thread-main': 'libs/domains/policies/src/evaluation-threads/thread-main.js',
};

/** Marks optional packages that are not installed as external: their importers handle their absence at run time. */
const missingPackages = {
  name: 'missing-packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (kind === 'entry-point' || pluginData === missingPackages) return undefined;
      const { errors } = await resolve(path, { importer, resolveDir, kind, pluginData: missingPackages });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

/**
 * @nestjs/typeorm checks at run time whether the installed TypeORM still has two classes of version 0.3. Version 1 has neither;
 * the check alone would load a second copy of TypeORM beside the one of the bundle.
 */
const typeormWithoutFormerClasses = {
  name: 'typeorm-without-former-classes',
  setup({ onLoad }) {
    onLoad({ filter: /@nestjs[/\\]typeorm[/\\].*typeorm-compat\.js$/ }, () => ({
      contents: 'export const Connection = undefined; export const AbstractRepository = undefined;',
    }));
  },
};

const KEEP_NAME = 'var __name = (target, value) => __defProp(target, "name", { value, configurable: true });';
const KEEP_NAME_OF_CLASSES =
  'var __name = (target, value) => target.name === value || !("prototype" in target) ? target : __defProp(target, "name", { value, configurable: true });';

/** The first line of a bundle is its id, which `withId` inserts. Bundled ES modules are strict. */
const ID_PLACE = `//${'-'.repeat(ID_LENGTH - 2)}`;
const BANNER = `${ID_PLACE}
'use strict'; const __bundleUrl = require('node:url').pathToFileURL(__filename).href;`;
const BUNDLE_FILES = ['.js', '.cjs', '.cjs.map', '.cache'];
/** A program that has no settings ends by itself. */
const CACHE_TIMEOUT_MS = 120_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { options } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8')).compilerOptions.builder;
const sourceFolders = options.filenames.filter((folder) => existsSync(join(root, folder)));

mkdirSync(join(root, 'dist'), { recursive: true });
// At the same depth as dist/, so that the relative source paths in source maps stay correct.
const temporaryFolder = mkdtempSync(join(root, '.build-'));

const swc = join(dirname(createRequire(import.meta.url).resolve('@swc/cli/package.json')), 'bin', 'swc.js');
const ignoreOptions = options.ignore.flatMap((glob) => ['--ignore', glob]);
const compilation = spawnSync(
  process.execPath,
  [swc, ...sourceFolders, '-d', temporaryFolder, '--config-file', options.swcrcPath, '--quiet', ...ignoreOptions],
  { cwd: root, stdio: 'inherit' },
);
try {
  if (compilation.status !== 0) process.exitCode = compilation.status ?? 1;
  else {
    for (const folder of sourceFolders) moveChangedFiles(join(temporaryFolder, folder), join(root, 'dist', folder));
    for (const folder of sourceFolders) removeOrphans(folder);
    await bundle();
  }
} finally {
  rmSync(temporaryFolder, { recursive: true, force: true });
}

async function bundle() {
  const outdir = join(temporaryFolder, 'bundles');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(PROGRAMS).map(([name, entry]) => [name, join(root, 'dist', entry)])),
    outdir,
    outExtension: { '.js': '.cjs' },
    write: false,
    bundle: true,
    platform: 'node',
    // Not an ES module: V8's code cache of these is not available in Node 20.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    target: 'node20',
    // Nest, TypeORM and the OpenAPI document use the names of classes.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    // This package reads files from its own folder.
    external: ['swagger-ui-dist'],
    plugins: [missingPackages, typeormWithoutFormerClasses],
    define: { 'import.meta.url': '__bundleUrl' },
    banner: { js: BANNER },
  });
  mkdirSync(outdir);
  for (const { path, text } of outputFiles) {
    writeFileSync(path, path.endsWith('.cjs') ? withId(inAscii(withCheapNames(text))) : text);
  }
  copyFileSync(join(root, 'tools/bundles/program.mjs'), join(outdir, 'program.js'));
  for (const name of Object.keys(PROGRAMS)) {
    writeFileSync(
      join(outdir, `${name}.js`),
      "import { runProgram } from './program.js';\nrunProgram(import.meta.url);\n",
    );
  }
  await Promise.all(Object.keys(PROGRAMS).map((name) => makeCodeCache(outdir, name)));
  moveChangedFiles(outdir, join(root, 'dist', 'bundles'));
  removeFormerBundles();
}

/** Deletes the files of programs and formats that no longer exist. */
function removeFormerBundles() {
  const folder = join(root, 'dist', 'bundles');
  const files = Object.keys(PROGRAMS).flatMap((name) => BUNDLE_FILES.map((extension) => name + extension));
  for (const file of readdirSync(folder)) {
    if (file !== 'program.js' && !files.includes(file)) rmSync(join(folder, file));
  }
}

/** Makes the code cache of a bundle, unless dist/ has it. */
async function makeCodeCache(outdir, name) {
  const [bundle, cache] = [`${name}.cjs`, `${name}.cache`];
  const made = join(root, 'dist', 'bundles');
  const isMade = [bundle, cache].every((file) => existsSync(join(made, file)));
  if (isMade && readFileSync(join(made, bundle)).equals(readFileSync(join(outdir, bundle)))) return;
  const program = [join(root, 'tools/bundles/code-cache.mjs'), join(outdir, bundle), join(outdir, cache)];
  // The program fails, because it has no settings.
  await promisify(execFile)(process.execPath, program, { env: {}, cwd: outdir, timeout: CACHE_TIMEOUT_MS }).catch(
    () => {},
  );
  if (!existsSync(join(outdir, cache)))
    throw new Error(`${name} did not exit without settings, or could not be loaded`);
}

/**
 * Inserts the id of a bundle: the hash of its content and of the version of Node, because the code cache with this id is
 * for one version.
 */
function withId(text) {
  const hash = createHash('sha256').update(process.version).update(process.arch).update(text).digest('hex');
  return text.replace(ID_PLACE, `//${hash.slice(0, ID_LENGTH - 2)}`);
}

/**
 * Escapes the characters that esbuild leaves in regular expressions. A source in ASCII takes half of the memory of one
 * in UTF-16.
 */
function inAscii(text) {
  if (/\\[^\0-\x7f]/.test(text)) throw new Error('A bundle contains a backslash before a character that is not ASCII');
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Replaces the helper of esbuild's `keepNames`, which calls `defineProperty` each time a function is created: 13 % of
 * the CPU time of a published event. The new helper does nothing for arrow functions, whose names no code reads, and
 * for functions that already have the name.
 */
function withCheapNames(text) {
  if (!text.includes(KEEP_NAME))
    throw new Error('The helper that esbuild generates for keepNames has changed: adapt KEEP_NAME');
  return text.replace(KEEP_NAME, KEEP_NAME_OF_CLASSES);
}

/** Moves changed files. Both folders are on one file system, so each rename is atomic. */
function moveChangedFiles(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) moveChangedFiles(source, target);
    else if (!existsSync(target) || !readFileSync(source).equals(readFileSync(target))) renameSync(source, target);
  }
}

/** Deletes every `dist/<folder>/**.js[.map]` whose source no longer exists. */
function removeOrphans(folder) {
  const target = join(root, 'dist', folder);
  if (!existsSync(target)) return;
  for (const entry of readdirSync(target, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (existsSync(join(root, path))) removeOrphans(path);
      else rmSync(join(root, 'dist', path), { recursive: true });
    } else if (/\.js(\.map)?$/.test(entry.name) && !hasSource(path.replace(/\.js(\.map)?$/, ''))) {
      rmSync(join(root, 'dist', path));
    }
  }
}

function hasSource(path) {
  return ['.ts', '.js'].some((extension) => existsSync(join(root, path + extension)));
}
