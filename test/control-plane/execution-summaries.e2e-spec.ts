import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type HttpResponse } from '../support/http.js';
import { Platform } from '../support/platform.js';

interface SummaryPage {
  readonly items: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

describe('execution summaries over HTTP', () => {
  let platform: Platform;
  const send = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1/${path}`, { key: platform.adminKey, body });
  const list = async (query: string): Promise<SummaryPage> =>
    (await send('GET', `execution-summaries?${query}`)).body as SummaryPage;

  beforeAll(async () => {
    platform = await Platform.shared();
    for (const id of ['one', 'two', 'three']) {
      await send('POST', 'executions/create', { execution_id: id, prompt: 'long', execution_metadata: { large: 'x' } });
    }
    await send('PATCH', 'executions/two', { status: 'failed', error_message: `E\n${'x'.repeat(400)}` });
    await send('PATCH', 'executions/three', { status: 'running', usage: { total_tokens: 12 } });
  });

  afterAll(() => platform.stop());

  it('are pages without texts and free-form objects, continued by the cursor in the body', async () => {
    const first = await list('limit=2');
    expect(first.items).toEqual([
      expect.objectContaining({ id: 'three', status: 'running', total_tokens: 12, duration_ms: null }),
      expect.objectContaining({ id: 'two', error_message: `E\n${'x'.repeat(298)}`, cause: expect.any(String) }),
    ]);
    expect(Object.keys(first.items[0] ?? {}).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      [
        'attempt',
        'cause',
        'completed_at',
        'created_at',
        'duration_ms',
        'entity_id',
        'entity_name',
        'error_message',
      ].concat(
        ['execution_type', 'id', 'job_id', 'last_message_preview', 'max_attempts', 'parent_execution_id', 'queued_at'],
        ['session_id', 'started_at', 'status', 'total_tokens', 'trigger_type', 'updated_at', 'user_id', 'user_name'],
        ['worker_id', 'worker_queue_id'],
      ),
    );
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ items: [{ id: 'one' }], next_cursor: null });
  });

  it('are filtered by lists, and counted by the same filters', async () => {
    const { items } = await list('status=FAILED,running&id=two,three,unknown&order=created_at');
    expect(items.map(({ id }) => id)).toEqual(['two', 'three']);
    expect((await list('order=-completed_at')).items.map(({ id }) => id)).toEqual(['two']);
    expect((await list('order=queued_at')).items).toEqual([]);
    const counted = await send('GET', 'execution-summaries/count?status=failed,running');
    expect(counted.body).toEqual({ count: 2, exact: true });
  });

  it('reject unknown statuses and orders, long pages, and the cursor of another order or filter', async () => {
    const faultOf = async (query: string): Promise<unknown> => {
      const { status, body } = await send('GET', `execution-summaries?${query}`);
      const { loc, type } = (body as { detail: { loc: string[]; type: string }[] }).detail[0] ?? { loc: [] };
      return [status, loc.join('.'), type];
    };
    const { next_cursor: cursor } = await list('limit=1');
    expect(await faultOf('status=failed,gone')).toEqual([422, 'query.status', 'enum']);
    expect(await faultOf('status=,')).toEqual([422, 'query.status', 'enum']);
    expect(await faultOf('order=name')).toEqual([422, 'query.order', 'enum']);
    expect(await faultOf('limit=201')).toEqual([422, 'query.limit', 'less_than_equal']);
    expect(await faultOf(`id=${Array.from({ length: 201 }, () => 'x').join()}`)).toEqual([422, 'query.id', 'too_long']);
    for (const other of ['order=created_at', 'status=failed', 'from=2026-01-01T00:00:00Z'])
      expect(await faultOf(`${other}&cursor=${cursor}`)).toEqual([422, 'query.cursor', 'value_error']);
  });
});
