// Builds the web console into dist/console/public: files named after their content, each also compressed, so that the
// control plane compresses nothing per request. Prints what is loaded when, and fails if a part is larger than its budget
// (console-budgets.json).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'dist', 'console', 'public');
const COMPRESSIBLE = /\.(js|css|html|svg)$/;
/** In kB after gzip, by part. */
const budgets = JSON.parse(readFileSync(join(root, 'tools/console-budgets.json'), 'utf8'));
const FIRST_LOAD = { js: 'first load: scripts', css: 'first load: styles' };
const OTHER = 'each other file';

await build({ configFile: join(root, 'apps/console/vite.config.ts'), logLevel: 'warn' });
const index = readFileSync(join(folder, 'index.html'), 'utf8');
/** Bytes after gzip, by part. */
const sizes = new Map();
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const content = readFileSync(path);
  const gzipped = gzipSync(content, { level: 9 });
  writeFileSync(`${path}.gz`, gzipped);
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
  const part = partOf(entry.name);
  if (part !== undefined) sizes.set(part, (sizes.get(part) ?? 0) + gzipped.length);
}
report();

/** Returns what a file is a part of: the first load, or the file itself, without the hash in its name. */
function partOf(name) {
  const [, own, kind] = /^(.*?)(?:-[\w-]{8})?\.(js|css)$/.exec(name) ?? [];
  if (kind === undefined) return undefined;
  return index.includes(`/${name}"`) ? FIRST_LOAD[kind] : `${own}.${kind}`;
}

/** Prints the parts that have a budget of their own, and the largest other one. */
function report() {
  const measured = [...sizes].map(([part, bytes]) => ({
    part,
    kB: bytes / 1000,
    budget: budgets[part] ?? budgets[OTHER],
  }));
  const sorted = measured.toSorted((one, other) => other.kB - one.kB);
  const largestOther = sorted.find(({ part }) => budgets[part] === undefined);
  const shown = sorted.filter((one) => budgets[one.part] !== undefined || one === largestOther);
  for (const { part, kB, budget } of shown) {
    process.stderr.write(`${part.padEnd(24)} ${kB.toFixed(1).padStart(6)} kB of ${budget}\n`);
  }
  const unknown = Object.keys(budgets).filter((part) => part !== OTHER && !sizes.has(part));
  const faults = [
    ...sorted.filter(({ kB, budget }) => kB > budget).map(({ part, kB }) => `${part} has ${kB.toFixed(1)} kB`),
    ...unknown.map((part) => `${part} does not exist`),
  ];
  if (faults.length > 0) throw new Error(`Against tools/console-budgets.json: ${faults.join(', ')}`);
}
