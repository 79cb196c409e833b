import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type Answer, type CallOptions } from '../support/http.js';
import { Platform } from '../support/platform.js';

describe('the fast lane and the ordinary one', () => {
  let platform: Platform;
  let executionId: string;

  beforeAll(async () => {
    platform = await Platform.start();
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
});
