import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseNotes, unreleasedNotes } from './changelog.js';
import { packRelease, RELEASE_FOLDER } from './pack.js';
import { runProgram } from './run-program.js';
import { PUBLISHED, VERSION_FILES, writeVersion } from './version-places.js';

const CHANGELOG = 'CHANGELOG.md';

export interface Release {
  readonly root: string;
  readonly version: string;
  /** The day of the release, for example `2026-11-29`. */
  readonly date: string;
}

/** Returns what `makeRelease` would do, in lines. */
export function describeRelease({ root, version, date }: Release): string[] {
  return [
    `Set the version ${version} in ${VERSION_FILES.join(', ')}`,
    `Move to "[${version}] - ${date}" in ${CHANGELOG}:`,
    ...unreleasedNotes(readFileSync(join(root, CHANGELOG), 'utf8'))
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
    `Pack ${PUBLISHED.join(', ')} with an SBOM and SHA256SUMS into ${RELEASE_FOLDER}`,
    `Commit "Release ${version}"`,
    `Make the annotated tag v${version}`,
  ];
}

/**
 * Sets the version, moves the notes, packs, commits and tags. Requires a tree without obstacles. If a step before the
 * commit fails, the tree is as it was.
 *
 * @returns the names of the packed files
 */
export function makeRelease({ root, version, date }: Release): string[] {
  let files: string[];
  try {
    writeVersion(root, version);
    const changelog = join(root, CHANGELOG);
    writeFileSync(changelog, releaseNotes(readFileSync(changelog, 'utf8'), version, date));
    files = packRelease(root);
    runProgram(root, 'git', 'commit', '--all', '--quiet', '--message', `Release ${version}`);
  } catch (error) {
    runProgram(root, 'git', 'reset', '--hard', '--quiet');
    throw error;
  }
  const message = `Version ${version}\n\n${readFileSync(join(root, RELEASE_FOLDER, 'NOTES.md'), 'utf8')}`;
  // Without this option, git removes the headings of the notes.
  runProgram(root, 'git', 'tag', '--annotate', '--cleanup=whitespace', '--message', message, `v${version}`);
  return files;
}
