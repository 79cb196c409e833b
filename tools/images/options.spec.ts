import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';
import { buildCommand } from './builder.js';
import { imageReference, IMAGES } from './images.js';
import { parseOptions } from './options.js';

describe('the options of npm run images', () => {
  it('name the images of this version by default', () => {
    const options = parseOptions([]);
    expect(options).toMatchObject({ base: undefined, source: undefined, isTried: false });
    expect(imageReference('worker', options)).toMatch(/^localhost\/agent-platform\/worker:\d+\.\d+\.\d+$/);
  });

  it('set the registry, the tag and the base', () => {
    const options = parseOptions(['--prefix', 'registry.example:5000/team/', '--tag', 'v1', '--base', 'local/node:24']);
    expect(options.base).toBe('local/node:24');
    expect(imageReference('worker', options)).toBe('registry.example:5000/team/worker:v1');
  });

  it.each([
    [['--base', '-v'], /--base/],
    [['--base=--privileged'], /--base is not the name of an image/],
    [['--prefix', 'Team/Images'], /--prefix is not the name of an image/],
    [['--tag', 'a b'], /--tag is not a tag/],
    [['--source', 'git@forge.example:team/x'], /--source is not the https address/],
    [['--source', 'https://user@forge.example/team/x'], /--source is not the https address/],
    [['--speed', '1'], /--speed/],
  ])('%j are rejected', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});

describe('the command of a builder', () => {
  it('has the build arguments and the labels', () => {
    const image = {
      reference: 'registry.example/team/worker:1.0.0',
      dockerfile: 'docker/worker.Dockerfile',
      buildArguments: { REVISION: 'abc' },
      labels: { 'org.opencontainers.image.source': 'https://forge.example/team/platform' },
    };
    for (const program of ['docker', 'podman', 'buildah'] as const) {
      const command = buildCommand({ program, options: [] }, image).join(' ');
      expect(command).toContain('--build-arg REVISION=abc');
      expect(command).toContain('--label org.opencontainers.image.source=https://forge.example/team/platform');
      expect(command).toMatch(/--tag registry\.example\/team\/worker:1\.0\.0 \.$/);
    }
  });
});

describe('the Dockerfiles', () => {
  const text = (name: string): string => readFileSync(join(projectRoot, 'docker', `${name}.Dockerfile`), 'utf8');

  it('are those of the images', () => {
    const files = readdirSync(join(projectRoot, 'docker')).filter((file) => file.endsWith('.Dockerfile'));
    expect(files).toEqual(IMAGES.map((name) => `${name}.Dockerfile`));
  });

  it('share their stage that builds, so that it runs once', () => {
    const stages = IMAGES.map((name) => text(name).split('\nFROM ${BASE_IMAGE}\n')[0]);
    expect(new Set(stages).size).toBe(1);
    expect(stages[0]).toContain('npm ci');
  });

  it.each(IMAGES)('%s runs as a numeric user and takes the base from an argument', (name) => {
    expect(text(name)).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(text(name).match(/^FROM .*$/gm)).toEqual(['FROM ${BASE_IMAGE} AS build', 'FROM ${BASE_IMAGE}']);
  });
});
