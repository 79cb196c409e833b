import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './env-var.js';
import { certificatesOf, RedisConfig } from './redis.config.js';

describe('the configuration of Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-config-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('names files that cannot be used, and does not repeat their content', () => {
    const [text, missing, key] = ['text.pem', 'missing.pem', 'key.pem'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(text, 'not a certificate');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const load = (variables: Record<string, string>): RedisConfig =>
      loadConfig(RedisConfig, { REDIS_URL: 'rediss://h', ...variables });
    expect(() => load({ REDIS_CA_FILE: text })).toThrow(
      `REDIS_CA_FILE: expected a PEM file with certificates, got ${text}`,
    );
    expect(() => load({ REDIS_CA_FILE: missing })).toThrow(/REDIS_CA_FILE: cannot be read: ENOENT/);
    expect(() => load({ REDIS_KEY_FILE: text })).toThrow('REDIS_KEY_FILE: expected a PEM file with a private key');
    expect(() => certificatesOf(load({ REDIS_KEY_FILE: key }))).toThrow('one of them is set without the other');
  });

  it('uses certificates only for encrypted connections', () => {
    expect(certificatesOf({ url: 'redis://h' })).toBeUndefined();
    expect(certificatesOf({ url: 'rediss://h', ca: null })).toEqual({});
    expect(certificatesOf({ url: 'rediss+cluster://h', ca: 'a', cert: 'b', key: 'c' })).toEqual({
      ca: 'a',
      cert: 'b',
      key: 'c',
    });
    expect(() => certificatesOf({ url: 'redis+sentinel://h/m', ca: 'a' })).toThrow(
      'REDIS_CA_FILE: REDIS_URL must begin with rediss for TLS',
    );
  });
});
