import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf } from './changelog.js';
import { runProgram } from './run-program.js';
import { makeSbom } from './sbom.js';
import { PUBLISHED, readVersion } from './version-places.js';

export const RELEASE_FOLDER = 'dist/release';

/**
 * Writes the files of the release whose version the tree has: the tarballs of the published packages, the SBOM, the
 * notes, and the digests of all of them. Returns their names.
 */
export function packRelease(root: string): string[] {
  const folder = join(root, RELEASE_FOLDER);
  const version = readVersion(root);
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  runProgram(root, 'npm', 'pack', `--pack-destination=${folder}`, ...PUBLISHED.map((each) => `./${each}`));
  const tarballs = readdirSync(folder);
  if (tarballs.length !== PUBLISHED.length) throw new Error(`npm pack has made ${tarballs.join(', ') || 'nothing'}`);
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string };
  writeFileSync(join(folder, `${name}-${version}.cdx.json`), `${JSON.stringify(makeSbom(root, name), null, 2)}\n`);
  writeFileSync(join(folder, 'NOTES.md'), `${notes}\n`);
  const files = readdirSync(folder).toSorted();
  writeFileSync(join(folder, 'SHA256SUMS'), files.map((file) => `${digestOf(join(folder, file))}  ${file}\n`).join(''));
  return [...files, 'SHA256SUMS'];
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
