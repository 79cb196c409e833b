// Compiles every TypeScript source into dist/ (same layout), and removes outputs whose source is gone.
// dist/ is never wiped first: servers that run from it keep their files while a build replaces them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = ['apps', 'libs', 'tools', 'bench'].filter((folder) => existsSync(join(root, folder)));

const swc = join(dirname(createRequire(import.meta.url).resolve('@swc/cli/package.json')), 'bin', 'swc.js');
const ignored = ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.mjs', '**/*.cjs'].flatMap((glob) => ['--ignore', glob]);
const compiled = spawnSync(
  process.execPath,
  [swc, ...sources, '-d', 'dist', '--config-file', '.swcrc', '--quiet', ...ignored],
  { cwd: root, stdio: 'inherit' },
);
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
for (const folder of sources) removeOrphans(folder);

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
