import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type Answer, type CallOptions } from '../support/http.js';
import { Platform } from '../support/platform.js';

const CONSOLE = 'https://console.example.com';

describe('the fast lane and the ordinary one', () => {
  let platform: Platform;
  let executionId: string;

  beforeAll(async () => {
    platform = await Platform.start({ env: { CORS_ORIGINS: `http://localhost:5173, ${CONSOLE}` } });
    const options = { key: platform.adminKey, body: { prompt: 'hello' } };
    const created = await call('POST', `${platform.url}/api/v1/executions/create`, options);
    executionId = (created.body as { execution_id: string }).execution_id;
  }, 60_000);
  afterAll(() => platform.stop());

  /** The same request on either lane: one that names an encoding, if only that there is none, goes the ordinary way. */
  async function onBothLanes(path: string, options: CallOptions): Promise<{ fast: Answer; ordinary: Answer }> {
    const url = `${platform.url}/api/v1/executions/${path}`;
    return {
      fast: await call('POST', url, options),
      ordinary: await call('POST', url, { ...options, headers: { 'Content-Encoding': 'identity' } }),
    };
  }

  const namesOf = ({ headers }: Answer): string[] => [...headers.keys()].sort();
  const tooBig = JSON.stringify({ event_type: 'x', data: { text: 'x'.repeat(1_048_576) } });

  it.each<[string, number, () => [string, CallOptions]]>([
    ['takes', 200, () => [executionId, { key: platform.adminKey, body: { event_type: 'x' } }]],
    ['finds no key in', 401, () => [executionId, { body: { event_type: 'x' } }]],
    ['finds no execution for', 404, () => ['nobody', { key: platform.adminKey, body: { event_type: 'x' } }]],
    ['finds too large', 413, () => [executionId, { key: platform.adminKey, raw: tooBig }]],
    ['finds no key in, however large it is,', 401, () => [executionId, { raw: tooBig }]],
    ['finds at fault', 422, () => [executionId, { key: platform.adminKey, body: {} }]],
  ])('answer with the same headers what it %s', async (_what, status, request) => {
    const [id, options] = request();
    const { fast, ordinary } = await onBothLanes(`${id}/events`, options);
    expect([fast.status, ordinary.status]).toEqual([status, status]);
    expect(namesOf(fast)).toEqual(namesOf(ordinary));
    expect(namesOf(fast)).toEqual(expect.arrayContaining(['content-security-policy', 'strict-transport-security']));
    if (status !== 200) expect(fast.body).toEqual(ordinary.body);
  });

  it('let pages of the configured origins read their answers, refusals included, and no others', async () => {
    const asked = (Origin: string): CallOptions => ({ body: { event_type: 'x' }, headers: { Origin } });
    const url = `${platform.url}/api/v1/executions/${executionId}/events`;
    const readableBy = async (options: CallOptions): Promise<(string | null)[]> => {
      const { headers } = await call('POST', url, options);
      return [headers.get('Access-Control-Allow-Origin'), headers.get('Vary')];
    };
    const ordinary = { 'Content-Encoding': 'identity' };
    for (const options of [asked(CONSOLE), { ...asked(CONSOLE), key: platform.adminKey }]) {
      expect(await readableBy(options)).toEqual([CONSOLE, 'Origin']);
      const headers = { ...options.headers, ...ordinary };
      expect(await readableBy({ ...options, headers })).toEqual([CONSOLE, 'Origin']);
    }
    expect(await readableBy(asked('https://elsewhere.example.com'))).toEqual([null, 'Origin']);
  });

  it('tell a browser without a key what its page may send', async () => {
    const { status, headers } = await call('OPTIONS', `${platform.url}/api/v1/executions/${executionId}`, {
      headers: {
        Origin: CONSOLE,
        'Access-Control-Request-Method': 'PATCH',
        'Access-Control-Request-Headers': 'authorization,idempotency-key',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('Access-Control-Allow-Origin')).toBe(CONSOLE);
    expect(headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
    expect(headers.get('Access-Control-Allow-Headers')).toBe('authorization,idempotency-key');
    expect(headers.get('X-Request-Id')).not.toBeNull();
  });
});
