import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serverAddress } from './server-address.js';

describe('the address of a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'address-'));
  const file = join(folder, 'ca.pem');
  beforeAll(() => writeFileSync(file, 'of the URL'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const authorities = (parameters: string, ca: string | null): unknown => {
    const { tls } = serverAddress('DATABASE_URL', `postgres://a/d?${parameters}`, ca);
    return typeof tls === 'object' ? tls.ca : tls;
  };

  it('has the authorities of the URL, or else those of the setting', () => {
    expect(authorities('sslmode=verify-ca', 'of the setting')).toBe('of the setting');
    expect(authorities(`sslmode=verify-ca&sslrootcert=${file}`, 'of the setting')).toBe('of the URL');
    expect(authorities('sslrootcert=system', 'of the setting')).toBeUndefined();
  });

  it('is refused with verify-ca without an authority, because any certificate of a public one would do', () => {
    for (const parameters of ['sslmode=verify-ca', 'sslmode=verify-ca&sslrootcert=system']) {
      expect(() => authorities(parameters, null)).toThrow(/^DATABASE_URL: sslmode=verify-ca needs .*DATABASE_CA_FILE/);
    }
    expect(() => authorities('sslmode=verify-ca&sslrootcert=system', 'of the setting')).toThrow(/sslrootcert/);
  });
});
