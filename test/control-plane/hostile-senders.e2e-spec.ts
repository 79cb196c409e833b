import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@app/kernel';
import { eventually } from '@app/testing';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Job = Readonly<Record<'webhook_url' | 'webhook_secret', string>>;

const MIB = 1_048_576;

describe('a control plane with hostile senders', () => {
  let platform: Platform;
  const open: Socket[] = [];

  beforeAll(async () => {
    platform = await Platform.shared();
  });
  afterEach(() => open.splice(0).forEach((socket) => socket.destroy()));
  afterAll(() => platform.stop());

  const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });

  const createJob = async (key: string): Promise<Job> => {
    const body = { name: 'hooked', trigger_type: 'webhook', prompt_template: 'Go', entity_id: 'later' };
    return (await call('POST', `${platform.url}/api/v1/jobs`, { key, body })).body as Job;
  };

  const send = (job: Job, raw: string, address: string): Promise<HttpResponse> => {
    const signature = createHmac('sha256', job.webhook_secret).update(raw).digest('hex');
    return call('POST', job.webhook_url, { raw, headers: { ...from(address), 'X-Webhook-Signature': signature } });
  };

  /** Opens a call whose body never ends. */
  const hold = (job: Job, address: string): void => {
    const { hostname, port, pathname } = new URL(job.webhook_url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    open.push(socket);
    const headers = [`Host: ${hostname}`, `X-Forwarded-For: ${address}`, `Content-Length: ${MIB}`];
    socket.write(`POST ${pathname} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(MIB - 1, 0x20));
  };

  it('accepts the webhooks of others while one sender holds many connections with unfinished bodies', async () => {
    const hostile = await createJob(platform.adminKey);
    const other = await createJob((await platform.createOrganization('other')).adminKey);
    const holdMany = (count: number): void => {
      for (let n = 0; n < count; n += 1) hold(hostile, `198.51.100.${n % 8}`);
    };
    holdMany(80);
    const large = JSON.stringify({ parameters: { text: 'x'.repeat(MIB - 1000) } });
    await eventually(async () => {
      // The server gives up bodies that do not end: on a machine that stood still, those of before may be gone.
      holdMany(8);
      const { status, headers } = await send(hostile, large, '198.51.100.9');
      expect([status, headers.get('x-error-code')]).toEqual([503, 'server_busy']);
    });
    expect((await send(other, '{}', '198.51.100.1')).status).toBe(200);
    expect((await send(other, large, '203.0.113.1')).status).toBe(200);
    open.splice(0).forEach((socket) => socket.destroy());
    await eventually(async () => expect((await send(hostile, '{}', '198.51.100.9')).status).toBe(200));
  });

  it('rejects unknown keys of an address with 429, and accepts known keys from the same address', async () => {
    const ask = (key: string, address: string): Promise<HttpResponse> =>
      call('GET', `${platform.url}/api/v1/models`, { key, headers: from(address) });
    const attacker = '198.51.100.77';
    expect((await ask(platform.adminKey, attacker)).status).toBe(200);
    const rejected = await eventually(async () => {
      const asks = await Promise.all(Array.from({ length: 60 }, () => ask(newApiKey(), attacker)));
      expect(asks.map(({ status }) => status)).toContain(429);
      return asks.find(({ status }) => status === 429);
    });
    expect(rejected?.headers.get('retry-after')).toBe('1');
    expect(rejected?.headers.get('x-error-code')).toBe('unknown_credentials_too_many');
    expect((await ask(platform.adminKey, attacker)).status).toBe(200);
    expect((await ask(newApiKey(), '203.0.113.2')).status).toBe(401);
  });

  it('rejects unknown webhook tokens of an address with 429', async () => {
    const { webhook_url } = await createJob(platform.adminKey);
    const invented = (n: number): string => webhook_url.replace(/[^/]+$/, String(n).padStart(40, 'x'));
    const statusOf = async (n: number): Promise<number> =>
      (await call('POST', invented(n), { raw: '{}', headers: from('198.51.100.78') })).status;
    await eventually(async () => {
      const statuses = await Promise.all(Array.from({ length: 60 }, (_, n) => statusOf(n)));
      expect(statuses).toContain(429);
    });
  });
});
