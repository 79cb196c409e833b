import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '@app/config';
import { projectRoot } from '../provision/project-root.js';
import { settingNames, settingsClasses } from '../start/check-settings.js';
import { envExample } from './env-example.js';

const lines = envExample()
  .split('\n')
  .flatMap((line) => {
    const [, name, value] = /^#([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });

describe('.env.example', () => {
  it('contains values that the settings accept and that equal their defaults', () => {
    const required = { DATABASE_URL: 'postgres://localhost/x', REDIS_URL: 'redis://localhost' };
    const worker = { CONTROL_PLANE_URL: 'http://localhost', WORKER_API_KEY: 'a-worker-key-of-16' };
    const example = Object.fromEntries(lines.map(({ name, value }) => [name, value]));
    for (const config of settingsClasses()) {
      const set = { ...example, ...required, ...worker };
      expect(loadConfig(config, set)).toEqual(loadConfig(config, { ...required, ...worker }));
    }
  });

  it('contains every setting of every config class once', () => {
    const declared = new Set(settingNames());
    expect(lines.map(({ name }) => name).sort()).toEqual([...declared].sort());
    const inSources = sourceFiles().flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/@EnvVar\(\s*'([A-Z0-9_]+)'/g)].map(([, name]) => name ?? ''),
    );
    expect([...new Set(inSources)].sort()).toEqual([...declared].sort());
  });
});

/**
 * The sources of the apps, libs and tools, any of which may declare a config class, except libs/foundation/testing, whose
 * settings are set by `npm test`.
 */
function sourceFiles(): string[] {
  return ['apps', 'libs', 'tools'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (file) =>
          file.endsWith('.ts') &&
          !file.endsWith('spec.ts') &&
          !join(folder, file).startsWith('libs/foundation/testing/'),
      )
      .map((file) => join(projectRoot, folder, file)),
  );
}
