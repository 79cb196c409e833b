import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig, SecretsConfig } from '@app/config';
import { secretsKey } from './keys.js';

describe('the key of stored secrets', () => {
  const before = { ...process.env };
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'keys-'));
    process.env = { PATH: '/bin' };
  });

  afterEach(() => {
    process.env = before;
    rmSync(dataDir, { recursive: true });
  });

  it('is created once per data folder, readable by its owner only, in the form that the platform accepts', () => {
    const key = secretsKey(dataDir);
    expect(secretsKey(dataDir)).toBe(key);
    expect(readFileSync(join(dataDir, 'secrets-key'), 'utf8').trim()).toBe(key);
    expect(statSync(join(dataDir, 'secrets-key')).mode & 0o777).toBe(0o600);
    expect(loadConfig(SecretsConfig, { SECRETS_KEY: key }).key).toEqual(Buffer.from(key, 'base64'));
  });

  it('is the configured one if there is one, which must have 32 bytes', () => {
    process.env['SECRETS_KEY'] = 'configured';
    expect(secretsKey(dataDir)).toBe('configured');
    const wrong = (SECRETS_KEY: string) => () => loadConfig(SecretsConfig, { SECRETS_KEY });
    for (const key of ['configured', 'x'.repeat(42), 'x'.repeat(44), 'ä'.repeat(43)]) {
      expect(wrong(key)).toThrow('SECRETS_KEY: expected 32 bytes in base64');
    }
    expect(wrong('not-shown-in-the-error')).not.toThrow('not-shown');
  });
});
