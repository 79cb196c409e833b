// Bundles the command line into one file beside the compiled library, which it imports.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));

const library = {
  name: 'library',
  setup({ onResolve }) {
    onResolve({ filter: /^@app\/rego$/ }, () => ({ path: './index.js', external: true }));
  },
};

await build({
  entryPoints: { cli: join(folder, '../../../tools/rego/cli.ts') },
  outdir: join(folder, 'dist'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  plugins: [library],
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
