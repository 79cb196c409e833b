import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createControlPlaneClient, createPlatformApiClient, unwrap } from './client.js';
import type { ControlPlaneClient, PlatformApiClient } from './client.js';

/** Options by a generic function, as programs write them for parameters that many calls share. */
function at<Path extends object, Others extends object = object>(
  path: Path,
  others?: Others,
): Others & { params: { path: Path } } {
  return { ...(others as Others), params: { path } };
}

/** The compiler reads this file: it rejects a `@ts-expect-error` that expects an error where none is. */
describe('the compiler', () => {
  let server: Server;
  let client: ControlPlaneClient;
  let platform: PlatformApiClient;

  /** Responds with the body of the request, or with its path. */
  beforeAll(async () => {
    server = createServer((request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      if (request.method === 'GET') response.end(JSON.stringify({ url: request.url }));
      else request.pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { baseUrl, apiKey: 'ak', retries: null };
    client = createControlPlaneClient(options);
    platform = createPlatformApiClient(options);
  });

  afterAll(() => {
    server.close();
  });

  it('rejects unknown fields of a body, at the top and in nested objects', async () => {
    // @ts-expect-error No field has this name.
    const sent = await unwrap(client.POST('/api/v1/agents', { body: { name: 'y', nmae: 'x' } }));
    expect(sent).toEqual({ name: 'y', nmae: 'x' }); // It is sent all the same: only the compiler rejects it.
    await client.POST('/api/v1/analytics/batch', {
      // @ts-expect-error No field of a task has this name.
      body: { execution_id: 'e', tasks: [{ task_description: 'Read', task_nmuber: 1 }] },
    });
    // @ts-expect-error No field has this name.
    await client.PATCH('/api/v1/agents/{agent_id}', { ...at({ agent_id: 'a' }), body: { desciption: '' } });
    // @ts-expect-error No field has this name.
    await client.request('patch', '/api/v1/agents/{agent_id}', { ...at({ agent_id: 'a' }), body: { desciption: '' } });
    // @ts-expect-error No field has this name.
    await platform.POST('/api/v1/tasks', { body: { name: 'y', agent_id: 'a', agnet_id: 'x' } });
  });

  it('rejects unknown options and query parameters', async () => {
    // @ts-expect-error No option has this name.
    await client.GET('/api/v1/agents', { parms: { query: { limit: 1 } } });
    // @ts-expect-error No parameter has this name.
    const { url } = (await unwrap(client.GET('/api/v1/agents', { params: { query: { limt: 1 } } }))) as never;
    expect(url).toBe('/api/v1/agents?limt=1');
  });

  it('requires what the API requires', async () => {
    // @ts-expect-error The name is missing.
    await client.POST('/api/v1/agents', { body: { description: 'x' } });
    // @ts-expect-error The body is missing.
    await client.POST('/api/v1/agents', {});
    // @ts-expect-error The options are missing.
    await client.POST('/api/v1/agents');
    // @ts-expect-error The path parameter is missing.
    await client.GET('/api/v1/agents/{agent_id}');
    // @ts-expect-error The route has no body.
    await client.DELETE('/api/v1/agents/{agent_id}', { ...at({ agent_id: 'a' }), body: {} });
    expect((await client.GET('/api/v1/agents')).response.ok).toBe(true);
  });

  it('accepts any key of a free-form object, and of one that has known and further keys', async () => {
    const body = { name: 'x', configuration: { any: { thing: 1 } }, execution_environment: { secrets: [], other: 1 } };
    const agent = await unwrap(client.POST('/api/v1/agents', { body: { ...body, llm_config: { temperature: 0 } } }));
    expect(agent.name.toUpperCase()).toBe('X');
    const teamOf = (settings: { any: number }) =>
      unwrap(client.POST('/api/v1/teams', { body: { name: 't', configuration: { instructions: '', ...settings } } }));
    expect((await teamOf({ any: 1 })).configuration).toEqual({ instructions: '', any: 1 });
    // @ts-expect-error A known key has its type.
    await client.POST('/api/v1/agents', { body: { name: 'x', execution_environment: { secrets: 'NAME' } } });
  });

  it('knows the type of the response: by its route and by `parseAs`', async () => {
    const options = at({ agent_id: 'a' }, { body: { name: 'x' } });
    const agent = await unwrap(client.PATCH('/api/v1/agents/{agent_id}', options));
    expect(agent.name.toUpperCase()).toBe('X');
    // @ts-expect-error No field has this name.
    expect(agent.nmae).toBeUndefined();
    const file = at({ execution_id: 'e', file_name: 'f' });
    const path = '/api/v1/executions/{execution_id}/files/{file_name}';
    expect((await unwrap(client.GET(path, { ...file, parseAs: 'text' }))).includes('files/f')).toBe(true);
    expect((await unwrap(client.GET(path, { ...file, parseAs: 'arrayBuffer' }))).byteLength).toBeGreaterThan(0);
    // @ts-expect-error A stream has no text.
    expect((await unwrap(client.GET(path, { ...file, parseAs: 'stream' })))?.includes).toBeUndefined();
  });
});
