import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connection } from './connection.js';
import { Reference } from './documents.js';
import type { Row } from './output.js';
import { Planner } from './plan.js';

const byName = (one: Row, other: Row): number => String(one['name']).localeCompare(String(other['name']));

describe('the requests of a plan', () => {
  let server: Server;
  let planner: Planner;
  let requests: URL[];
  let lists: Record<string, Row[]>;

  /** Serves each list in pages of one row, and each of its rows under the path of the list. */
  beforeEach(async () => {
    [requests, lists] = [[], {}];
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://platform.invalid');
      requests.push(url);
      response.setHeader('content-type', 'application/json');
      const rows = lists[url.pathname];
      if (rows === undefined) {
        const [, id] = /([^/]+)$/.exec(url.pathname) ?? [];
        const row = Object.values(lists)
          .flat()
          .find((one) => one['id'] === id);
        return response.writeHead(row === undefined ? 404 : 200).end(JSON.stringify(row ?? { detail: 'None' }));
      }
      const name = url.searchParams.get('name');
      const found = rows.filter((row) => name === null || row['name'] === name);
      const position = Number(url.searchParams.get('cursor') ?? 0);
      if (position + 1 < found.length) response.setHeader('x-next-cursor', String(position + 1));
      return response.end(JSON.stringify(found.slice(position, position + 1)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const profile = { control_plane_url: url, platform_api_url: url, api_key: 'key' };
    planner = new Planner(new Connection(profile, () => undefined), false);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const listRequests = (path: string): Row[] =>
    requests.filter(({ pathname }) => pathname === path).map(({ searchParams }) => Object.fromEntries(searchParams));

  it('are one uncounted list for each name, however many documents and references need it', async () => {
    lists['/api/v1/agents'] = ['a', 'b', 'c'].map((name) => ({ id: `id-${name}`, name }));
    const documents = ['a', 'b', 'new'].map((name) => ({ kind: 'agent', name }));
    const member = (name: string): Row => ({ kind: 'agent', name, team_id: new Reference('agent', 'c') });
    const steps = await planner.plan([...documents, member('one'), member('other')]);
    expect(steps.map(({ current }) => current?.['id'])).toEqual(['id-a', 'id-b', undefined, undefined, undefined]);
    expect(steps.at(-1)?.changes).toMatchObject({ team_id: 'id-c' });
    const names = ['a', 'b', 'new', 'c', 'one', 'other'];
    const expected = names.map((name) => ({ name, limit: '100', total: 'false' }));
    expect(listRequests('/api/v1/agents').toSorted(byName)).toEqual(expected.toSorted(byName));
  });

  it('filter where the list can', async () => {
    lists['/api/v1/users'] = [{ id: 'id-ada', email: 'ada@example.com' }];
    lists['/api/v1/worker-queues'] = [{ id: 'id-queue', name: 'fast', environment_id: 'e1' }];
    const queue = { kind: 'worker-queue', environment_id: 'e1' };
    const documents = [
      { kind: 'user', email: 'ada@example.com' },
      ...['fast', 'slow'].map((name) => ({ ...queue, name })),
    ];
    const steps = await planner.plan(documents);
    expect(steps.map(({ current }) => current?.['id'])).toEqual(['id-ada', 'id-queue', undefined]);
    expect(listRequests('/api/v1/users')).toEqual([{ limit: '100', total: 'false', email: 'ada@example.com' }]);
    const ofQueues = { limit: '100', total: 'false', environment_id: 'e1' };
    expect(listRequests('/api/v1/worker-queues')).toEqual([
      { ...ofQueues, name: 'fast' },
      { ...ofQueues, name: 'slow' },
    ]);
  });

  it('are not made for two documents of one resource', async () => {
    lists = { '/api/v1/agents': [] };
    const twice = [1, 2].map((number) => ({ kind: 'agent', name: 'greeter', description: `${number}` }));
    await expect(planner.plan(twice)).rejects.toThrow('agent/greeter is described twice.');
  });
});
