import { compare, type Figure } from './figures.js';
import { load } from './load.js';
import type { BenchPlatform } from './platform.js';
import type { Setting } from './setting.js';

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
}

const CONNECTIONS = 32;

interface Route {
  readonly name: string;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: unknown;
  /** The same work on the bare servers. */
  readonly bare: string;
  readonly work: string;
}

/** Requests a second of the routes that workers and triggers use, each beside Express and plain Node http. */
export async function throughput(platform: BenchPlatform, setting: Setting, pace: Pace): Promise<Figure[]> {
  const { executionId, jobId } = setting;
  const routes: Route[] = [
    {
      name: 'publish an event',
      method: 'POST',
      path: `/api/v1/executions/${executionId}/events`,
      body: {
        event_type: 'message_chunk',
        data: { role: 'assistant', content: 'A few words of an answer', is_chunk: true },
      },
      bare: '/publish',
      work: 'the same Redis script',
    },
    {
      name: 'PATCH an execution',
      method: 'PATCH',
      path: `/api/v1/executions/${executionId}`,
      body: { usage: { prompt_tokens: 100, completion_tokens: 20 } },
      bare: '/patch',
      work: 'one UPDATE … RETURNING',
    },
    {
      name: 'trigger a job',
      method: 'POST',
      path: `/api/v1/jobs/${jobId}/trigger`,
      body: { parameters: { name: 'Ada' } },
      bare: '/trigger',
      work: 'insert, insert, update in one transaction, then BullMQ add',
    },
  ];
  const figures: Figure[] = [];
  for (const route of routes) {
    for (const [server, url] of [
      ['Express', platform.express],
      ['Node http', platform.http],
    ] as const) {
      figures.push(await compareRoute(platform, route, server, url, pace));
    }
  }
  return figures;
}

async function compareRoute(
  platform: BenchPlatform,
  route: Route,
  server: string,
  url: string,
  pace: Pace,
): Promise<Figure> {
  const { method, body } = route;
  const headers = { Authorization: `Bearer ${platform.key}` };
  const common = { connections: CONNECTIONS, seconds: pace.seconds, body };
  return compare(
    {
      name: `${route.name}, ${CONNECTIONS} at once`,
      unit: '/s',
      limitIs: `plain ${server}, ${route.work}`,
      ours: async () => (await load({ ...common, url: platform.url + route.path, method, headers })).perSecond,
      limit: async () => (await load({ ...common, url: url + route.bare, method: 'POST' })).perSecond,
    },
    pace.rounds,
  );
}
