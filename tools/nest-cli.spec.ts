import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from './provision/project-root.js';

interface NestProject {
  readonly type: 'application' | 'library';
  readonly sourceRoot: string;
}

describe('nest-cli.json', () => {
  const { projects } = JSON.parse(readFileSync(join(projectRoot, 'nest-cli.json'), 'utf8')) as {
    projects: Record<string, NestProject>;
  };

  it.each([
    ['apps', 'application'],
    ['libs', 'library'],
  ])('declares every folder of %s, so that nest generate knows it', (folder, type) => {
    const declared = Object.entries(projects).filter(([, project]) => project.type === type);
    // The web console is built by Vite.
    const folders = readdirSync(join(projectRoot, folder)).filter((name) => name !== 'console');
    expect(Object.fromEntries(declared.map(([name, { sourceRoot }]) => [name, sourceRoot]))).toEqual(
      Object.fromEntries(folders.map((name) => [name, `${folder}/${name}/src`])),
    );
  });
});
