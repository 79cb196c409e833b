// Compiles every TypeScript source into dist/ with the same layout and the builder options of nest-cli.json, and
// removes outputs without a source. `nest build` writes the same files in place; here servers may start and run from
// dist/ during a build: dist/ is never emptied, each changed file is replaced by an atomic rename, and unchanged files
// are not written.
//
// Then bundles each program with its packages into one file in dist/bundles/: Node reads one file instead of 3,500,
// which halves the CPU time of a start. The programs run from the bundles; the other files are for the tools and for
// readers.
import { spawnSync } from 'node:child_process';
import {
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
import { build } from 'esbuild';

/** The entry points by bundle name. A program loads the policy thread from its own folder. */
const PROGRAMS = {
  'control-plane': 'apps/control-plane/src/main.js',
  'platform-api': 'apps/platform-api/src/main.js',
  worker: 'apps/worker/src/main.js',
  admin: 'tools/admin/main.js',
  'thread-main': 'libs/policies/src/threads/thread-main.js',
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
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Nest, TypeORM and the OpenAPI document use the names of classes.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    // This package reads files from its own folder.
    external: ['swagger-ui-dist'],
    plugins: [missingPackages, typeormWithoutFormerClasses],
    // Bundled CommonJS packages call `require` for built-in modules of Node.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  mkdirSync(outdir);
  for (const { path, text } of outputFiles) {
    writeFileSync(path, path.endsWith('.js') ? withCheapNames(text) : text);
  }
  moveChangedFiles(outdir, join(root, 'dist', 'bundles'));
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
