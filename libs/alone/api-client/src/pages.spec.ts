import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, createControlPlaneClient, type ControlPlaneClient } from './client.js';
import { items, pages } from './pages.js';

describe('the pages of a list', () => {
  let server: Server;
  let client: ControlPlaneClient;
  let requests: string[];

  /** Three pages, each with the number of its request; a request with `status=failed` fails on the second page. */
  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
      requests.push(decodeURIComponent(`${pathname.split('/').at(-1)}?${searchParams}`));
      const page = Number(searchParams.get('cursor') ?? 1);
      const isCounted = searchParams.get('total') !== 'false' && !pathname.endsWith('summaries');
      if (page === 2 && searchParams.get('status') === 'failed') return response.writeHead(404).end();
      response.writeHead(200, {
        'Content-Type': 'application/json',
        ...(page < 3 ? { 'X-Next-Cursor': String(page + 1) } : {}),
        ...(isCounted ? { 'X-Total-Count': '3' } : {}),
      });
      const rows = [{ id: `row ${page}` }];
      return response.end(JSON.stringify(pathname.endsWith('agents') ? rows : { items: rows, next_cursor: null }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = createControlPlaneClient({ baseUrl, apiKey: 'ak', retries: null });
  });

  afterEach(() => {
    server.close();
  });

  it('are requested by their cursors, with the same filters, and counted once', async () => {
    const totals: (string | null)[] = [];
    const query = { name: 'x', limit: 1, skip: 2 };
    for await (const { data, headers } of pages(client, '/api/v1/agents', { params: { query } }))
      totals.push(`${data[0]?.id} of ${headers.get('x-total-count')}`);
    expect(totals).toEqual(['row 1 of 3', 'row 2 of null', 'row 3 of null']);
    expect(requests).toEqual([
      'agents?name=x&limit=1&skip=2',
      'agents?name=x&limit=1&total=false&cursor=2',
      'agents?name=x&limit=1&total=false&cursor=3',
    ]);
  });

  it('give their rows, also those of a body that is an object', async () => {
    const ids: string[] = [];
    for await (const { id } of items(client, '/api/v1/agents')) ids.push(id.toUpperCase());
    for await (const { id } of items(client, '/api/v1/execution-summaries')) ids.push(id);
    expect(ids).toEqual(['ROW 1', 'ROW 2', 'ROW 3', 'row 1', 'row 2', 'row 3']);
    expect(requests.at(-1)).toBe('execution-summaries?cursor=3');
  });

  it('are not requested before the loop asks for them', async () => {
    for await (const { id } of items(client, '/api/v1/agents')) if (id === 'row 2') break;
    expect(requests).toEqual(['agents?', 'agents?total=false&cursor=2']);
  });

  it('end with an ApiError where a response is an error', async () => {
    const ids: string[] = [];
    const read = async () => {
      const query = { status: 'failed' } as const;
      for await (const { id } of items(client, '/api/v1/agents', { params: { query } })) ids.push(id);
    };
    await expect(read()).rejects.toThrow(ApiError);
    expect(ids).toEqual(['row 1']);
  });

  it('exist for lists alone, with the parameters of their routes', () => {
    const never = [
      // @ts-expect-error An agent is no list.
      () => items(client, '/api/v1/agents/{agent_id}', { params: { path: { agent_id: 'a' } } }),
      // @ts-expect-error The id of the execution is missing.
      () => items(client, '/api/v1/executions/{execution_id}/messages'),
      // @ts-expect-error No parameter has this name.
      () => items(client, '/api/v1/agents', { params: { query: { nmae: 'x' } } }),
      async () => {
        for await (const message of items(client, '/api/v1/executions/{execution_id}/messages', {
          params: { path: { execution_id: 'e' } },
        }))
          // @ts-expect-error A text has no such method.
          message.content?.toFixed();
      },
    ];
    expect(never).toHaveLength(4);
  });
});
