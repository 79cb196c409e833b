import { describe, expect, it } from '@jest/globals';
import { compile } from '../program.js';
import type { Json } from '../values/convert.js';

/**
 * Created for these tests: a root certificate, an intermediate certificate and a server certificate, valid for a
 * hundred years from 2026.
 */
const ROOT =
  'MIIBiDCCAS6gAwIBAgIUakMsK1qrieLKv2nqoa+LWbjmwqQwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMjEwNzMxMTlaGA8yMTI2MTAyODA3MzExOVowDzENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCxfyjT8CCP9TJuzTFQmU1rXBaA65W+9hKIbDsPbwC+sJqZsFoSTbWK7TUXh/1oMRG3blyqEQt8mbtOEUHYLEy+jZjBkMB0GA1UdDgQWBBScwfDABCGJsgkD/479DoCneljvrDAfBgNVHSMEGDAWgBScwfDABCGJsgkD/479DoCneljvrDASBgNVHRMBAf8ECDAGAQH/AgEBMA4GA1UdDwEB/wQEAwICBDAKBggqhkjOPQQDAgNIADBFAiEAmKkZfvLuAHL1cwJDr8SL5EbA1V3FdAn68tsv3OhzfLwCIGs2Hyb1WKV4KS2shDWOTNf1zEAmWHVspUOP3eqxXGv8';
const AUTHORITY =
  'MIIBdDCCARqgAwIBAgIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARyb290MCAXDTI2MTEyMTA3MzExOVoYDzIxMjYxMDI4MDczMTE5WjAOMQwwCgYDVQQDDANtaWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASelQyI6uBlmMDxyfQWc718fJijy7P96BUfq7+XG5qyw+oyfAaTwH+I+wCdMmqIHNED+WTROYZtWFY65ljwSJTGo2YwZDASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwICBDAdBgNVHQ4EFgQUBcgrOanZ14mSoIIkRqD8Xm0Hw70wHwYDVR0jBBgwFoAUnMHwwAQhibIJA/+O/Q6Ap3pY76wwCgYIKoZIzj0EAwIDSAAwRQIhANo0guzTdZDk96gU7bNWVMqAGLiisd20UwklEspW/7GdAiBmOS8AjDNujp/MTrXw08x1UCYW6Uurby33NbxCGEDRjQ==';
const SERVER =
  'MIIBiDCCAS+gAwIBAgIBAzAKBggqhkjOPQQDAjAOMQwwCgYDVQQDDANtaWQwIBcNMjYxMTIxMDczMTE5WhgPMjEyNjEwMjgwNzMxMTlaMA8xDTALBgNVBAMMBGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQaakUVhuGr0Zvva69Bzy0eWSCfjni08p4ttKiix2Imaug7lYK3lqsQiyEEpbMbCI2kdLmILxlUFMn3TglptUFoo3sweTAJBgNVHRMEAjAAMBcGA1UdEQQQMA6CDGxlYWYuZXhhbXBsZTATBgNVHSUEDDAKBggrBgEFBQcDATAdBgNVHQ4EFgQUWY1FqcMnxP+xiLyRZMtDuWRFzDIwHwYDVR0jBBgwFoAUBcgrOanZ14mSoIIkRqD8Xm0Hw70wCgYIKoZIzj0EAwIDRwAwRAIgTHSH6dz5qFkcJ+8kUbF31wp3PsxcfxzMdV2migwghLwCIFlfwGapr5OrGIMqpJvlwrrovkraj9hginM7OXM+Nvg5';
const STRANGER =
  'MIIBeDCCAR2gAwIBAgIUOjiMvQ8HezEvMBtm3gCKIHBD6PAwCgYIKoZIzj0EAwIwEDEOMAwGA1UEAwwFb3RoZXIwIBcNMjYxMTIxMDczMTE5WhgPMjEyNjEwMjgwNzMxMTlaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELQxeBTXCy0ZWONx6JLlKcw7be6ZfHcobqSF48Fj3DNBXxjHmCg+ffrjcDe0I8Iv7+nvuwr2udNPbUgSBHrBL7KNTMFEwHQYDVR0OBBYEFA46rcoLBsbCMCqeYIKGizLcV/DYMB8GA1UdIwQYMBaAFA46rcoLBsbCMCqeYIKGizLcV/DYMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAMHNIhV1kAaohxN7ymWArDUe87LJFu94SSNt10HHr+MXAiEApTaTaEQV6IqV8B3diFEOLDuJdJ30kLRlwWK6v6/ZvdM=';
const SERVER_KEY =
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1DNYmCHVEJVdFxA/jb6jh9lLTl+wdbPWxgV1lfhX4a2hRANCAAQaakUVhuGr0Zvva69Bzy0eWSCfjni08p4ttKiix2Imaug7lYK3lqsQiyEEpbMbCI2kdLmILxlUFMn3TglptUFo';
const ED25519_KEY = 'MC4CAQAwBQYDK2VwBCIEINCTHLoogap4sojqIFyX7ZFgW/hw4Iv7RGOX4rtMfP3V';
const RSA_KEY =
  'MIIBOgIBAAJBAMq+uaI4lBPilveQaM4SQRLB4dRu9nBkkxt2jlC/eVNBtGc/VK9+3Vi1uvO77Z4m3bHXDFAzN1m2vx97PHTI7K0CAwEAAQJBAKVAKXwwk3lVwekM2m/EbyfDwbbtro5TW5gR3NOyDUium1m4MYxHb5lHgWeE3oW5O8e6RNuNbTGL1nT1JfHTrH0CIQD5gBRFq/NATRsI9fEZf2lsKqazrc6ZVgX6qpIhp6DozwIhANAG1ZVdMFYgpwD+zV0WHCP3fG3KCjVSodHUJNQ95rnDAiALVliVeeTJzTcnRxW3lOSTd7SvgXxb117aLxoI0XcsXQIgbEmSdu0Kk1rt9EuvFWzD+0kCIZiRlc5M5BA9l6odZ8cCIE7HEmvQHd0fOLuefaqwml7NA2nBnxU3CF859o8jQ0x8';

/** 2030, in nanoseconds. */
const NOW = 1_900_000_000_000_000_000n;

const pem = (type: string, ...blocks: string[]): string =>
  blocks.map((block) => `-----BEGIN ${type}-----\n${block}\n-----END ${type}-----\n`).join('');

function ask(term: string, input: Json, options: { strict?: boolean; now?: bigint } = {}): unknown {
  const program = compile([{ name: 'p.rego', text: `package p\n\nx := ${term}\n` }]);
  return program.query('data.p.x').value({ input, now: NOW, ...options });
}

const verify = (certificates: string, now = NOW): unknown =>
  ask(
    '[ok, [c.Subject.CommonName | some c in chain]] if [ok, chain] := crypto.x509.parse_and_verify_certificates(input)',
    certificates,
    { now },
  );

const verifyFor = (options: Json): unknown =>
  ask('crypto.x509.parse_and_verify_certificates_with_options(input.chain, input.options)[0]', {
    chain: pem('CERTIFICATE', ROOT, AUTHORITY, SERVER),
    options,
  });

describe('chains of certificates', () => {
  it('consist of the leaf, the intermediate certificates and the root', () => {
    expect(verify(pem('CERTIFICATE', ROOT, AUTHORITY, SERVER))).toEqual([true, ['leaf', 'mid', 'root']]);
  });

  it('use only the necessary intermediate certificates, given in any order', () => {
    expect(verify(pem('CERTIFICATE', ROOT, STRANGER, AUTHORITY, SERVER))).toEqual([true, ['leaf', 'mid', 'root']]);
  });

  it.each([
    ['an authority is missing', [ROOT, SERVER]],
    ['the root is another certificate', [STRANGER, AUTHORITY, SERVER]],
    ['there is only one certificate', [ROOT]],
    ['the certificate in the place of the leaf is an authority, not a server', [ROOT, SERVER, STRANGER]],
  ])('do not exist if %s', (_, blocks) => {
    expect(verify(pem('CERTIFICATE', ...blocks))).toEqual([false, []]);
  });

  it.each(['', 'not a certificate', 'Zm9v', pem('CERTIFICATE', 'Zm9v', 'Zm9v')])('do not exist in %j', (text) => {
    expect(verify(text)).toEqual([false, []]);
  });

  it('are not valid outside of their dates', () => {
    const chain = pem('CERTIFICATE', ROOT, AUTHORITY, SERVER);
    expect(verify(chain, 1_000_000_000_000_000_000n)).toEqual([false, []]);
    expect(verifyFor({ CurrentTime: 1_000_000_000_000_000_000 })).toBe(false);
  });

  it('are valid for the requested names and usages', () => {
    expect(verifyFor({ DNSName: 'leaf.example' })).toBe(true);
    expect(verifyFor({ DNSName: 'leaf' })).toBe(false);
    expect(verifyFor({ KeyUsages: ['KeyUsageClientAuth'] })).toBe(false);
    expect(verifyFor({ KeyUsages: ['KeyUsageClientAuth', 'KeyUsageServerAuth'] })).toBe(true);
    expect(verifyFor({ KeyUsages: ['KeyUsageAny'], MaxConstraintComparisons: 5 })).toBe(true);
  });

  it.each([{ Unknown: 1 }, { DNSName: 1 }, { CurrentTime: 'x' }, { KeyUsages: 'x' }, { KeyUsages: ['x'] }])(
    'are undefined for the options %j',
    (options) => {
      expect(verifyFor(options)).toBeUndefined();
    },
  );
});

describe('private keys', () => {
  it('are returned as their numbers', () => {
    const keys = ask('crypto.parse_private_keys(input)', pem('PRIVATE KEY', SERVER_KEY, ED25519_KEY)) as Json[];
    expect(keys).toEqual([
      { Curve: {}, X: expect.anything(), Y: expect.anything(), D: expect.anything() },
      '0JMcuiiBqniyiOogXJftkWBb+HDgi/tEY5fiu0x8/dVtmJBN/Ixq6u2ln3Xmq4AoZ34j6L4q7f0w00n863WNsg==',
    ]);
    const relation = 'k.N == k.Primes[0] * k.Primes[1]; k.Precomputed.Dp == k.D % (k.Primes[0] - 1)';
    expect(
      ask(`true if { k := crypto.parse_private_keys(input)[0]; ${relation} }`, pem('RSA PRIVATE KEY', RSA_KEY)),
    ).toBe(true);
  });

  it('are not found in texts without keys', () => {
    expect(ask('crypto.parse_private_keys(input)', '')).toBeNull();
    expect(ask('crypto.parse_private_keys(input)', 'nothing')).toEqual([]);
    expect(ask('crypto.parse_private_keys(input)', pem('PRIVATE KEY', 'Zm9v'))).toBeUndefined();
  });

  it('match their certificates', () => {
    const pair = 'crypto.x509.parse_keypair(input.certificate, input.key)';
    const key = pem('PRIVATE KEY', SERVER_KEY);
    expect(ask(`${pair}.Certificate`, { certificate: pem('CERTIFICATE', SERVER), key })).toEqual([SERVER]);
    expect(ask(pair, { certificate: pem('CERTIFICATE', STRANGER), key })).toBeUndefined();
  });

  it('are searched in linear time, even if many blocks begin and none ends', () => {
    const hostile = '-----BEGIN A-----'.repeat(60_000);
    expect(ask('crypto.parse_private_keys(input)', hostile)).toEqual([]);
    expect(ask('crypto.parse_private_keys(input)', `${hostile}-----END B-----`)).toEqual([]);
  });
});
