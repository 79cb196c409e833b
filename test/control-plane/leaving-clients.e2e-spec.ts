import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '@app/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

const CLIENTS = 200;

describe('clients that disconnect during their request', () => {
  let platform: Platform;
  beforeAll(async () => {
    // Without time limits, a read ends early only if its client disconnects.
    const noLimits = { DATABASE_READ_TIMEOUT_MS: '0', DATABASE_STATEMENT_TIMEOUT_MS: '0' };
    platform = await Platform.start({ env: noLimits });
  });
  afterAll(() => platform.stop());

  /** Sends the head of a request and half of its body, then disconnects. */
  async function leave(route: string, key: string): Promise<void> {
    const { hostname, port } = new URL(platform.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = [
      `POST /api/v1/${route} HTTP/1.1`,
      'Host: platform',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Content-Length: 1000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"event_type": "half`);
    socket.destroySoon();
    await once(socket, 'close');
  }

  it.each([
    ['of the fast path', 'executions/nobody/events'],
    ['of the ordinary path', 'agents'],
  ])('do no harm on a route %s, whether or not their key is cached', async (_path, route) => {
    const keys = Array.from({ length: CLIENTS }, (_, n) =>
      n % 2 === 0 ? platform.adminKey : `unknown-key-number-${n}`,
    );
    await Promise.all(keys.map((key) => leave(route, key)));
    // An address that has sent this many unknown keys waits up to a second for the look-up of another key.
    await eventually(async () => {
      expect((await call('GET', `${platform.url}/api/v1/agents`, { key: platform.adminKey })).status).toBe(200);
    });
    expect(platform.controlPlanes.map(({ process }) => process.running)).toEqual([true]);
    expect(platform.controlPlanes[0]?.process.log()).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('cancel the statements of their reads', async () => {
    const blocker = new pg.Client({ connectionString: platform.databaseUrl });
    await blocker.connect();
    const waiting = async (): Promise<number> => {
      const text = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      return (await platform.sql(text)).length;
    };
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE skills IN ACCESS EXCLUSIVE MODE');
      const leave = new AbortController();
      const headers = { Authorization: `Bearer ${platform.adminKey}` };
      const read = fetch(`${platform.url}/api/v1/skills?total=false`, { headers, signal: leave.signal });
      const left = read.catch((error: unknown) => error);
      await eventually(async () => expect(await waiting()).toBe(1));
      leave.abort();
      await left;
      await eventually(async () => expect(await waiting()).toBe(0));
    } finally {
      await blocker.end();
    }
    expect((await call('GET', `${platform.url}/api/v1/skills`, { key: platform.adminKey })).status).toBe(200);
  });

  it('before their WebSocket is accepted cause no error of the server', async () => {
    const created = await call('POST', `${platform.url}/api/v1/executions/create`, {
      key: platform.adminKey,
      body: { execution_type: 'agent', prompt: 'x' },
    });
    const { execution_id: id } = created.body as { execution_id: string };
    const blocker = new pg.Client({ connectionString: platform.databaseUrl });
    await blocker.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE execution_messages IN ACCESS EXCLUSIVE MODE');
      const { hostname, port } = new URL(platform.url);
      const socket = connect(Number(port), hostname);
      const head = [
        `GET /api/v1/ws/executions/${id} HTTP/1.1`,

        'Host: platform',
        `Authorization: Bearer ${platform.adminKey}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      const text = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await eventually(async () => expect((await platform.sql(text)).length).toBeGreaterThan(0));
      socket.destroy();
      await once(socket, 'close');
    } finally {
      await blocker.end();
    }
    const route = 'route="/api/v1/ws/executions/:execution_id"';
    await eventually(async () => {
      expect(String((await call('GET', `${platform.url}/metrics`)).body)).toContain(route);
    });
    expect((await call('GET', `${platform.url}/api/v1/executions/${id}`, { key: platform.adminKey })).status).toBe(200);
    expect(platform.controlPlanes[0]?.process.log()).not.toMatch(/"level":"(error|fatal)"/);
  });
});
