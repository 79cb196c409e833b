import { request, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

describe('reads over HTTP', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.shared();
  });

  afterAll(() => platform.stop());

  /** Sends a GET and returns the body as it was sent, without decompressing it. */
  async function read(path: string, accepted?: string): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
    const headers = {
      Authorization: `Bearer ${platform.adminKey}`,
      ...(accepted === undefined ? {} : { 'Accept-Encoding': accepted }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${platform.url}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
      });
      sent.on('error', reject).end();
    });
  }

  it('end with 503 when they take longer than their limit, and no other requests do', async () => {
    const limited = await platform.startControlPlane({
      DATABASE_READ_TIMEOUT_MS: '2000',
      DATABASE_STATEMENT_TIMEOUT_MS: '0',
    });
    const blocker = new pg.Client({ connectionString: platform.databaseUrl });
    await blocker.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE skills IN ACCESS EXCLUSIVE MODE');
      const skills = `${limited.url}/api/v1/skills`;
      const writing = call('POST', skills, { key: platform.adminKey, body: { name: 'late' } });
      const refused = await call('GET', skills, { key: platform.adminKey });
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'store_timeout']);
      expect(refused.headers.get('retry-after')).toBe('1');
      await blocker.query('COMMIT');
      expect((await writing).status).toBe(201);
    } finally {
      await blocker.end();
    }
  });

  describe('of more than 32 KiB', () => {
    const LARGE = '/api/v1/skills?limit=1';

    beforeAll(async () => {
      const body = { name: 'large', configuration: { text: 'text '.repeat(10_000) } };
      await call('POST', `${platform.url}/api/v1/skills`, { key: platform.adminKey, body });
    });

    it('are compressed with gzip for clients that accept it', async () => {
      const plain = await read(LARGE);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.body.length).toBeGreaterThan(32 * 1024);
      for (const accepted of ['gzip', 'gzip, deflate, br']) {
        const { headers, body } = await read(LARGE, accepted);
        expect(headers['content-encoding']).toBe('gzip');
        expect(headers.vary).toContain('Accept-Encoding');
        expect(headers['x-next-cursor']).toBe(plain.headers['x-next-cursor']);
        expect(gunzipSync(body).equals(plain.body)).toBe(true);
      }
      expect((await read(LARGE, 'gzip;q=0')).headers['content-encoding']).toBeUndefined();
    });

    it('are the only compressed responses: short ones and streams are not', async () => {
      expect((await read('/api/v1/skills/definitions', 'gzip')).headers['content-encoding']).toBeUndefined();
      const created = await call('POST', `${platform.url}/api/v1/executions/create`, {
        key: platform.adminKey,
        body: { prompt: 'p', execution_id: 'streamed' },
      });
      expect(created.status).toBe(201);
      const leave = new AbortController();
      const stream = await fetch(`${platform.url}/api/v1/executions/streamed/stream`, {
        headers: { Authorization: `Bearer ${platform.adminKey}`, 'Accept-Encoding': 'gzip' },
        signal: leave.signal,
      });
      expect(stream.headers.get('content-encoding')).toBeNull();
      // The first frame arrives while the stream is open, so nothing buffers it.
      const first = await stream.body?.getReader().read();
      expect(new TextDecoder().decode(first?.value as Uint8Array)).toContain('event: connected');
      leave.abort();
    });
  });
});
