import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';
import { findOtherVersions, PUBLISHED, VERSION_FILES } from './version-places.js';

const TEXTS = /\.(md|json|ya?ml)$/;
const TARBALL = /\b(agentctl|agent-orchestration-\w+)-\d+\.\d+\.\d+/;

/** Returns the texts below a folder in which a user can find the name of a tarball. */
function textsIn(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^\.(?!github)|^(node_modules|dist)$/.test(entry.name) ? [] : textsIn(path);
    return TEXTS.test(entry.name) ? [path] : [];
  });
}

describe('the version', () => {
  it('is that of the root package.json in all of its places', () => {
    expect(findOtherVersions(projectRoot)).toEqual([]);
  });

  it('has no place that the release does not know', () => {
    const named = textsIn('').filter((path) => TARBALL.test(readFileSync(join(projectRoot, path), 'utf8')));
    expect(named.filter((path) => !VERSION_FILES.includes(path))).toEqual([]);
  });

  it('is the version of each package that is not private', () => {
    const inside = (parent: string): string[] =>
      readdirSync(join(projectRoot, parent)).map((name) => `${parent}/${name}`);
    const folders = [...inside('apps'), ...inside('libs').flatMap(inside)];
    const manifests = new Set(textsIn(''));
    expect(folders.filter((folder) => manifests.has(`${folder}/package.json`)).toSorted()).toEqual(
      [...PUBLISHED].toSorted(),
    );
  });
});
