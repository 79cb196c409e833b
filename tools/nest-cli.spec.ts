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

  const layers = readdirSync(join(projectRoot, 'libs')).map((layer) => `libs/${layer}`);

  it.each([
    ['application', ['apps']],
    ['library', layers],
  ])('declares every %s, so that nest generate knows it', (type, parents) => {
    const declared = Object.entries(projects).filter(([, project]) => project.type === type);
    // The web console is built by Vite.
    const names = (parent: string): string[] =>
      readdirSync(join(projectRoot, parent)).filter((name) => name !== 'console');
    const folders = parents.flatMap((parent) => names(parent).map((name) => [name, `${parent}/${name}/src`] as const));
    expect(Object.fromEntries(declared.map(([name, { sourceRoot }]) => [name, sourceRoot]))).toEqual(
      Object.fromEntries(folders),
    );
  });
});
