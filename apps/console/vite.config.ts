import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

// `npx vite apps/console` serves the pages beside `npm start`, and reloads them when a source changes.
export default defineConfig({
  root: pathOf('.'),
  base: '/console/',
  plugins: [tailwindcss()],
  resolve: { alias: { '@app/api-client': pathOf('../../libs/alone/api-client/src/index.ts') } },
  build: {
    outDir: pathOf('../../dist/console/public'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the pages forbids scripts and styles that are not files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Directives for servers that render components: there is none.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/console/platform': 'http://127.0.0.1:3000' } },
});
