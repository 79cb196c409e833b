// Bundles the program and its dependencies in dist/: the package contains no other code, and Node starts faster because it
// resolves no packages. The format is CommonJS, because commander is a CommonJS package and ES modules take longer to start.
// The YAML parser and the MCP server have files of their own, because they are most of the code and few commands need them.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));

/** The packages with a file of their own, by the name of the file. */
const APART = { yaml: 'yaml', 'mcp-tools': '@app/mcp-tools' };

const filesApart = {
  name: 'files-apart',
  setup({ onResolve }) {
    for (const [file, name] of Object.entries(APART)) {
      onResolve({ filter: new RegExp(`^${name}$`) }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: `./${file}.cjs`, external: true } : undefined,
      );
    }
  },
};

await build({
  absWorkingDir: folder,
  entryPoints: { agentctl: join(folder, 'src/main.ts'), ...APART },
  outdir: join(folder, 'dist'),
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  plugins: [filesApart],
  logLevel: 'warning',
});
