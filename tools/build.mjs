// Compiles every TypeScript source into dist/ (same layout), and removes outputs whose source is gone.
// Servers may run and start from dist/ while it is built: it is never wiped, each file is written beside it and moved
// into its place, and one that stays the same is not touched.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = ['apps', 'libs', 'tools', 'bench'].filter((folder) => existsSync(join(root, folder)));

mkdirSync(join(root, 'dist'), { recursive: true });
// As deep as dist/, so that source maps name their sources from there.
const fresh = mkdtempSync(join(root, '.build-'));

const swc = join(dirname(createRequire(import.meta.url).resolve('@swc/cli/package.json')), 'bin', 'swc.js');
const ignored = ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.mjs', '**/*.cjs'].flatMap((glob) => ['--ignore', glob]);
const compiled = spawnSync(
  process.execPath,
  [swc, ...sources, '-d', fresh, '--config-file', '.swcrc', '--quiet', ...ignored],
  { cwd: root, stdio: 'inherit' },
);
try {
  if (compiled.status !== 0) process.exitCode = compiled.status ?? 1;
  else {
    for (const folder of sources) moveInto(join(fresh, folder), join(root, 'dist', folder));
    for (const folder of sources) removeOrphans(folder);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** Within one file system, so that each file is replaced in one step. */
function moveInto(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) moveInto(source, target);
    else if (!existsSync(target) || !readFileSync(source).equals(readFileSync(target))) renameSync(source, target);
  }
}

/** Deletes `dist/<folder>/**.js[.map]` that no longer has a `.ts` beside it in the sources. */
function removeOrphans(folder) {
  const target = join(root, 'dist', folder);
  if (!existsSync(target)) return;
  for (const entry of readdirSync(target, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (existsSync(join(root, path))) removeOrphans(path);
      else rmSync(join(root, 'dist', path), { recursive: true });
    } else if (/\.js(\.map)?$/.test(entry.name) && !existsSync(join(root, path.replace(/\.js(\.map)?$/, '.ts')))) {
      rmSync(join(root, 'dist', path));
    }
  }
}
