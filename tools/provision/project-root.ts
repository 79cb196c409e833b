import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, whether this module runs from its source (tests) or from dist/. */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/**
 * Returns the path of a compiled file or a bundle, named without its extension (`tools/start/parent-watch`,
 * `bundles/admin`).
 */
export function compiled(source: string): string {
  return join(projectRoot, 'dist', `${source}.js`);
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('No package.json above this file');
  return findRoot(parent);
}
