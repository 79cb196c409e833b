// Joins the program and its packages in one file, dist/agentctl.cjs: the package needs no other, and Node starts it in
// less time than it takes to resolve them. CommonJS, because commander is.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));

await build({
  absWorkingDir: folder,
  entryPoints: [join(folder, 'src/main.ts')],
  outfile: join(folder, 'dist/agentctl.cjs'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  // ApiError.name and the like.
  keepNames: true,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
