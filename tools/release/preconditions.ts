import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreleasedNotes } from './changelog.js';
import { runProgram } from './run-program.js';
import { findOtherVersions, readVersion } from './version-places.js';
import { isNewer, isVersion } from './version.js';

const BRANCH = 'main';

/** Returns what forbids a release of this version from a working tree, one sentence each. */
export function findObstacles(root: string, version: string): string[] {
  return [
    ...(isVersion(version)
      ? obstaclesOfVersion(root, version)
      : [`${version} is not of the form 1.2.3 or 1.2.3-rc.1.`]),
    ...obstaclesOfTree(root),
    ...findOtherVersions(root).map((fault) => `${fault}.`),
    ...obstaclesOfChangelog(root),
  ];
}

function obstaclesOfVersion(root: string, version: string): string[] {
  if (hasTag(root, version)) return [`The tag v${version} exists.`];
  const current = readVersion(root);
  // The version in the tree may not be released yet.
  if (isNewer(version, current) || (version === current && !hasTag(root, current))) return [];
  return [`${version} is not newer than ${current}.`];
}

function obstaclesOfTree(root: string): string[] {
  const branch = runProgram(root, 'git', 'rev-parse', '--abbrev-ref', 'HEAD').trim();
  const changes = runProgram(root, 'git', 'status', '--porcelain').trimEnd();
  return [
    ...(branch === BRANCH ? [] : [`The branch is ${branch}, not ${BRANCH}.`]),
    ...(changes === '' ? [] : [`Files are not committed:\n${changes}`]),
  ];
}

function obstaclesOfChangelog(root: string): string[] {
  try {
    unreleasedNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
    return [];
  } catch (error) {
    return [`${(error as Error).message}.`];
  }
}

function hasTag(root: string, version: string): boolean {
  return runProgram(root, 'git', 'tag', '--list', `v${version}`) !== '';
}
