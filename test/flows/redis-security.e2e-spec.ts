import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig, RedisConfig } from '@app/config';
import { RedisConnections } from '@app/redis';
import { eventually } from '@app/testing';
import { Redis } from 'ioredis';
import { CertificateAuthority } from '../support/certificates.js';
import { call } from '../support/http.js';
import type { Platform } from '../support/platform.js';
import {
  credentialsOf,
  documentedRules,
  issueCertificates,
  setUser,
  type RedisCertificates,
} from '../support/redis-access.js';
import { startOnRedis, useAllOfRedis } from '../support/redis-journey.js';
import { freePort } from '../../tools/provision/free-port.js';
import { provisionRedisCluster } from '../../tools/provision/redis-cluster.js';
import { provisionRedis, type RedisServer } from '../../tools/provision/redis.js';

describe('a platform on a Redis with TLS and ACL users', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-security-'));
  let server: RedisServer;
  let admin: Redis;
  let platform: Platform;
  let securePort: number;
  let certificates: RedisCertificates;

  beforeAll(async () => {
    certificates = issueCertificates(folder);
    securePort = await freePort();
    server = await provisionRedis({
      dataDir: join(folder, 'redis'),
      durable: false,
      settings: [`tls-port ${securePort}`, ...certificates.server],
    });
    admin = new Redis(server.url);
    await setUser(admin, 'platform', documentedRules());
    platform = await startOnRedis(secureUrl('platform'), { env: certificates.platform });
  });

  afterAll(async () => {
    await platform.stop();
    admin.disconnect();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const secureUrl = (user: string, password?: string): string =>
    `rediss://${credentialsOf(user, password)}@127.0.0.1:${securePort}`;

  it('works with the permissions that the guide lists, and needs no other', async () => {
    await useAllOfRedis(platform);
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
    const clients = String(await admin.client('LIST')).split('\n');
    const ofPlatform = clients.filter((client) => client.includes(' user=platform '));
    expect(ofPlatform.length).toBeGreaterThan(0);
    expect(ofPlatform.filter((client) => !client.includes(`laddr=127.0.0.1:${securePort}`))).toEqual([]);
  });

  it('says why Redis refuses it, and is not ready', async () => {
    const without = (type: string): string[] => documentedRules().filter((rule) => !rule.startsWith(type));
    await setUser(admin, 'no-keys', without('~'));
    await setUser(admin, 'no-channels', without('&'));
    const stranger = new CertificateAuthority(folder, 'stranger').cert;
    const refusals: [settings: Record<string, string>, reason: RegExp, isReady: boolean][] = [
      [
        { REDIS_CA_FILE: stranger },
        /"reason":"[^"]*(self-signed certificate|unable to verify|signature failure)/,
        false,
      ],
      [{ REDIS_URL: secureUrl('platform', 'wrong') }, /"reason":"WRONGPASS invalid username-password pair/, false],
      [{ REDIS_URL: secureUrl('no-keys') }, /NOPERM .*keys/, false],
      // Waits for the permission; streams cannot be opened meanwhile.
      [{ REDIS_URL: secureUrl('no-channels') }, /"reason":"NOPERM .*channel.*subscription failed, retrying/, true],
    ];
    await Promise.all(
      refusals.map(async ([settings, reason, isReady]) => {
        const { url, process } = await platform.startControlPlane({ ...certificates.platform, ...settings });
        await eventually(() => expect(process.log()).toMatch(reason));
        const { status } = await call('GET', `${url}/api/health/ready`);
        expect([settings, status]).toEqual([settings, isReady ? 200 : 503]);
      }),
    );
  });
});

describe('connections with TLS and an ACL user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-security-'));
  const certificates = issueCertificates(folder);
  const stops: (() => Promise<void>)[] = [];

  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const tlsOn = (port: number | undefined): string[] => [`tls-port ${port}`, ...certificates.server];

  /** Uses a key and a channel that the user may use, and tries one that it may not. */
  async function expectAccess(url: string, settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const variables = { REDIS_URL: url, ...certificates.platform, ...settings };
    const connections = new RedisConnections(loadConfig(RedisConfig, variables));
    const received: string[] = [];
    await connections.subscriptions.open('events:{x}', { onMessage: (message) => received.push(message.toString()) });
    await connections.commands.set('events:{x}:log', 'value');
    expect(await connections.commands.get('events:{x}:log')).toBe('value');
    await expect(connections.commands.get('other')).rejects.toThrow('NOPERM');
    await connections.commands.publish('events:{x}', 'message');
    await eventually(() => expect(received).toEqual(['message']));
    expect((await connections.primaries()).every(({ options }) => options.tls !== undefined)).toBe(true);
    connections.onApplicationShutdown();
  }

  it('reach a cluster', async () => {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const settings = (index: number): string[] => [...tlsOn(ports[index]), 'tls-cluster yes', 'tls-replication yes'];
    const options = { dataDir: join(folder, 'cluster'), primaries: 3, replicasPerPrimary: 0, settings };
    const cluster = await provisionRedisCluster(options);
    stops.push(() => cluster.stop());
    for (const { url } of cluster.nodes) {
      const admin = new Redis(url);
      await setUser(admin, 'platform', documentedRules());
      admin.disconnect();
    }
    await expectAccess(`rediss+cluster://${credentialsOf('platform')}@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}`);
  });

  it('reach the primary of a sentinel', async () => {
    const [port, sentinelPort] = [await freePort(), await freePort()];
    const primary = await provisionRedis({ dataDir: join(folder, 'one'), durable: false, settings: tlsOn(port) });
    const admin = new Redis(primary.url);
    await setUser(admin, 'platform', documentedRules());
    admin.disconnect();
    const watched = ['tls-replication yes', `sentinel monitor main 127.0.0.1 ${port} 1`];
    const sentinel = await provisionRedis({
      dataDir: join(folder, 'sentinel'),
      sentinel: true,
      password: 'of-the-sentinel',
      settings: [...tlsOn(sentinelPort), ...watched],
    });
    stops.push(
      () => sentinel.stop(),
      () => primary.stop(),
    );
    await expectAccess(`rediss+sentinel://${credentialsOf('platform')}@127.0.0.1:${sentinelPort}/main`, {
      REDIS_SENTINEL_PASSWORD: 'of-the-sentinel',
    });
  });
});
