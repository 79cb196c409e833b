import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json: the same whether this runs from the sources (tests) or from dist/. */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The compiled counterpart of a TypeScript source, given without its extension (`tools/provision/guard`). */
export function compiled(source: string): string {
  return join(projectRoot, 'dist', `${source}.js`);
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('No package.json above this file');
  return findRoot(parent);
}
