import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { EgressGuard } from './egress-guard.js';

const guard = (...allowedHosts: string[]): EgressGuard =>
  new EgressGuard(
    { allowedHosts, timeoutMs: 1000, retryDelays: [0], maxPending: 0, maxStoredBytes: 0 },
    new Resolver(),
  );

const PRIVATE = 'leads to a private address, which the operator has not allowed with WEBHOOK_ALLOWED_HOSTS';

describe('EgressGuard', () => {
  it.each([
    ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    // Other forms of 127.0.0.1, which URL parsers and resolvers convert.
    ['2130706433', '0x7f.1', '127.1', '017700000001'],
    ['[::1]', '[::]', '[fe80::1]', '[fd00::1]', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a00:1]'],
    ['[2002:7f00:1::]', '[2001:0:1::1]', 'localhost', 'LOCALHOST', 'localhost.', 'sub.localhost'],
  ])('rejects %s and similar hosts', async (...hosts) => {
    for (const host of hosts) {
      expect([host, await guard().faultOf(`http://${host}/x`)]).toEqual([host, PRIVATE]);
    }
  });

  it('accepts public addresses', async () => {
    for (const host of ['1.1.1.1', '93.184.216.34:8443', '[2606:4700::1111]']) {
      expect([host, await guard().faultOf(`https://${host}/`)]).toEqual([host, undefined]);
    }
  });

  it('rejects other protocols, credentials and text that is no URL', async () => {
    for (const url of ['ftp://1.1.1.1/', 'file:///etc/passwd', 'javascript:alert(1)', 'data:,x']) {
      expect(await guard().faultOf(url)).toBe('does not begin with http:// or https://');
    }
    expect(await guard().faultOf('https://user:password@1.1.1.1/')).toBe('contains credentials');
    expect(await guard().faultOf('https://user@1.1.1.1/')).toBe('contains credentials');
    for (const url of ['', 'hooks', '//1.1.1.1', 'http://', 'http://[::1']) {
      expect(await guard().faultOf(url)).toBe('is not valid');
    }
  });

  it('rejects a name that does not resolve', async () => {
    expect(await guard().faultOf('https://missing.invalid/')).toBe('names a host that cannot be resolved');
  });

  it('waits at most 5 s for name servers that do not respond', async () => {
    const nameServer = createSocket('udp4').bind(0, '127.0.0.1');
    await once(nameServer, 'listening');
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${nameServer.address().port}`]);
    jest.useFakeTimers();
    try {
      const config = { allowedHosts: [], timeoutMs: 1000, retryDelays: [0], maxPending: 0, maxStoredBytes: 0 };
      const fault = new EgressGuard(config, resolver).faultOf('https://hooks.example.com/');
      await jest.advanceTimersByTimeAsync(5000);
      expect(await fault).toBe('names a host that cannot be resolved');
    } finally {
      jest.useRealTimers();
      resolver.cancel();
      nameServer.close();
    }
  });

  it('accepts private networks, addresses and names that are allowed', async () => {
    const allowing = guard('10.0.0.0/8', '127.0.0.1', 'fd00::/8');
    for (const host of ['10.200.0.1', '127.0.0.1', '[fd12::1]', '[::ffff:10.0.0.1]']) {
      expect(await allowing.faultOf(`http://${host}/`)).toBeUndefined();
    }
    for (const host of ['127.0.0.2', '192.168.0.1', '[::1]', 'localhost']) {
      expect(await allowing.faultOf(`http://${host}/`)).toBeDefined();
    }
    expect(await guard('localhost').faultOf('http://localhost:3000/')).toBeUndefined();
  });
});
