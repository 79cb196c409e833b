// Bundles the program and its dependencies in dist/: the package contains no other code, and Node starts faster because it
// resolves no packages. The format is CommonJS, because commander is a CommonJS package and ES modules take longer to start.
// The YAML parser has a file of its own, because it is half of the code and few commands need it.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));

const yamlApart = {
  name: 'yaml-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^yaml$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './yaml.cjs', external: true } : undefined,
    );
  },
};

await build({
  absWorkingDir: folder,
  entryPoints: { agentctl: join(folder, 'src/main.ts'), yaml: 'yaml' },
  outdir: join(folder, 'dist'),
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  plugins: [yamlApart],
  logLevel: 'warning',
});
