import { describe, expect, it } from '@jest/globals';
import { parseDatabaseUrl, replicaUrl } from './database-url.js';

const HOST_A = { host: 'a', port: 1 };

describe('the URL of PostgreSQL', () => {
  it.each([
    ['postgres://u:p@a:1/d', [HOST_A]],
    ['postgresql://a:1,b/d', [HOST_A, { host: 'b', port: 5432 }]],
    ['postgres://u:p@a:1,[::1]:2,10.0.0.1:3/d', [HOST_A, { host: '::1', port: 2 }, { host: '10.0.0.1', port: 3 }]],
    ['postgres:///d?host=/run/postgresql', []],
    ['postgres://u:p@a:1', [HOST_A]],
  ])('lists hosts: %s', (url, hosts) => expect(parseDatabaseUrl(url).hosts).toEqual(hosts));

  it('is passed to the driver with the first host only, without the parameters of TLS', () => {
    const { base, tls, caFile } = parseDatabaseUrl(
      'postgres://u:p%40@a:1,b:2/d?sslmode=verify-ca&sslrootcert=/ca.pem&application_name=x&target_session_attrs=primary',
    );
    expect({ base, tls, caFile }).toEqual({
      base: 'postgres://u:p%40@a:1/d?application_name=x',
      tls: 'verify-ca',
      caFile: '/ca.pem',
    });
  });

  it.each([
    ['disable', 'disable'],
    ['no-verify', 'no-verify'],
    ['require', 'verify-full'],
    ['verify-ca', 'verify-ca'],
    ['verify-full', 'verify-full'],
  ])('never verifies less than its sslmode says: %s', (mode, tls) => {
    expect(parseDatabaseUrl(`postgres://a/d?sslmode=${mode}`).tls).toBe(tls);
  });

  it('requires a server that accepts writes if it lists several hosts', () => {
    const isWritable = (url: string): boolean => parseDatabaseUrl(`postgres://${url}`).writable;
    expect(isWritable('a/d')).toBe(false);
    expect(isWritable('a,b/d')).toBe(true);
    expect(isWritable('a,b/d?target_session_attrs=any')).toBe(false);
    expect(isWritable('a/d?target_session_attrs=read-write')).toBe(true);
  });

  it.each([
    ['mysql://u:secret@a/d', /postgres:\/\/ or postgresql:\/\//],
    ['postgres://u:secret@a:1,b:x/d', /host:port/],
    ['postgres://u:secret@a:1,,b/d', /host:port/],
    ['postgres://u:secret@a:99999/d', /host:port/],
    ['postgres://u:secret@a/d?sslmode=prefer', /sslmode to be one of disable, no-verify/],
    ['postgres://u:secret@a/d?sslmode=allow', /sslmode to be one of/],
    ['postgres://u:secret@a/d?target_session_attrs=standby', /target_session_attrs to be one of any, read-write/],
  ])('is rejected without repeating it: %s', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
    expect(() => parseDatabaseUrl(url)).not.toThrow(/secret/);
  });

  it('of standbys requires no kind of server', () => {
    for (const target of ['primary', 'read-write']) {
      expect(() => replicaUrl(`postgres://u:secret@a/d?sslmode=require&target_session_attrs=${target}`)).toThrow(
        /^expected no target_session_attrs/,
      );
    }
    expect(replicaUrl('postgres://a/d?target_session_attrs=any')).toBe('postgres://a/d?target_session_attrs=any');
  });
});
