import { inTurn, type Figure } from './figures.js';
import { callsAs, newOrganization } from './hostile-policies.js';
import { jsonClient } from './json-client.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';
import { startProcess, stopProcess } from './processes.js';

const READERS = 20;
const EVENT_BYTES = 16_384;
/** The maximum size of a log. */
const LOG_BYTES = 64 * 1_048_576;
const PUBLISHERS = 16;

/**
 * Publishing events of one organization while a long log of another one is read, compared with publishing without
 * readers.
 */
export async function besideLongLogs(
  { call, url, databaseUrl }: BenchPlatform,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const key = newOrganization(databaseUrl);
  const created = await callsAs(url, key)<{ execution_id: string }>('POST', '/api/v1/executions/create', {
    prompt: 'x',
  });
  const path = `/api/v1/executions/${created.execution_id}`;
  await fill(url, key, `${path}/events`);
  const own = await call<{ execution_id: string }>('POST', '/api/v1/executions/create', { prompt: 'x' });
  const event = { event_type: 'message_chunk', data: { content: 'x'.repeat(100) } };
  const publish = (): Promise<unknown> => call('POST', `/api/v1/executions/${own.execution_id}/events`, event);
  await oneByOne(100, publish);
  const measure = (): Promise<number[]> => oneByOne(count, publish);
  const measureBeside = async (): Promise<number[]> => {
    const readers = await startProcess({
      entry: 'bench/long-log-readers',
      env: {
        STREAM_URL: `${url}${path}/stream`,
        API_KEY: key,
        READERS: String(READERS),
        LOG_BYTES: String(0.95 * LOG_BYTES),
      },
      ready: /all readers read/,
    });
    try {
      return await measure();
    } finally {
      await stopProcess(readers);
    }
  };
  const [baseline = [], ours = []] = await inTurn([measure, measureBeside], rounds);
  const name = `publish an event beside ${READERS} readers of a log of ${LOG_BYTES / 1_048_576} MiB`;
  return percentiles(name, 'the same without them', ours, baseline);
}

async function fill(url: string, key: string, path: string): Promise<void> {
  const send = jsonClient(url, { Authorization: `Bearer ${key}` });
  const event = { event_type: 'message_chunk', data: { content: 'x'.repeat(EVENT_BYTES) } };
  let left = Math.ceil(LOG_BYTES / EVENT_BYTES);
  const publisher = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await send('POST', path, event);
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
}
