// Builds the web console into dist/console/public: files named after their content, each also compressed, so that the
// control plane compresses nothing per request. Fails if the first page would load more than its budget.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'dist', 'console', 'public');
const COMPRESSIBLE = /\.(js|css|html|svg)$/;
/** What a browser loads before the first page, in bytes after gzip. */
const BUDGETS = { js: 240_000, css: 25_000 };

await build({ configFile: join(root, 'apps/console/vite.config.ts'), logLevel: 'warn' });
const index = readFileSync(join(folder, 'index.html'), 'utf8');
const firstLoad = { js: 0, css: 0 };
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const content = readFileSync(path);
  const gzipped = gzipSync(content, { level: 9 });
  writeFileSync(`${path}.gz`, gzipped);
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
  const [, kind] = /\.(js|css)$/.exec(entry.name) ?? [];
  if (kind !== undefined && index.includes(`/${entry.name}"`)) firstLoad[kind] += gzipped.length;
}
for (const [kind, limit] of Object.entries(BUDGETS)) {
  if (firstLoad[kind] > limit) {
    throw new Error(`The first page of the console loads ${firstLoad[kind]} bytes of ${kind}, more than ${limit}`);
  }
}
