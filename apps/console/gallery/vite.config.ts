import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vite';
import consoleConfig from '../vite.config.ts';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

// The build of the gallery: the parts of the console on fixed data, for tests. Not shipped. `npx vite apps/console`
// serves it as well, at /console/gallery/.
export default defineConfig(
  mergeConfig(consoleConfig, {
    publicDir: false,
    build: {
      outDir: pathOf('../../../dist/console-gallery'),
      rolldownOptions: { input: pathOf('index.html') },
    },
  }),
);
