import { request } from 'node:http';
import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import type { BenchPlatform } from './platform.js';

const MARK = '"sent":';

interface Source {
  readonly streamUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly publish: (sent: number) => Promise<unknown>;
}

/**
 * Time from sending the publish request to the arrival of the event at each reader, compared with a hub that only uses
 * Redis.
 */
export async function eventToReader(
  platform: BenchPlatform,
  readers: number,
  events: number,
  rounds: number,
): Promise<Figure[]> {
  const hubSource: Source = {
    streamUrl: platform.hub,
    headers: {},
    publish: async (sent) => {
      const response = await fetch(platform.hub, { method: 'POST', body: JSON.stringify({ sent }) });
      await response.text();
    },
  };
  const [baseline = [], ours = []] = await inTurn(
    [() => measure(hubSource, readers, events), async () => measure(await newSource(platform), readers, events)],
    rounds,
  );
  const name = `event to reader, ${readers} ${readers === 1 ? 'reader' : 'readers'}`;
  return percentiles(name, 'plain Node hub: XADD → XREAD → write', ours, baseline);
}

/** Creates a new execution for each round, so that the stream replays nothing: the hub has no replay. */
async function newSource(platform: BenchPlatform): Promise<Source> {
  const created = await platform.call<{ execution_id: string }>('POST', '/api/v1/executions/create', { prompt: 'x' });
  const path = `/api/v1/executions/${created.execution_id}`;
  return {
    streamUrl: `${platform.url}${path}/stream`,
    headers: { Authorization: `Bearer ${platform.key}` },
    publish: (sent) => platform.call('POST', `${path}/events`, { event_type: 'message_chunk', data: { sent } }),
  };
}

/** Returns the latencies of events that are published one after the other. */
async function measure(source: Source, readers: number, events: number): Promise<number[]> {
  const latencies: number[] = [];
  let arrived = 0;
  let wake: () => void = () => undefined;
  const streams = await Promise.all(
    Array.from({ length: readers }, () =>
      open(source, (sent) => {
        latencies.push(performance.now() - sent);
        arrived += 1;
        if (arrived % readers === 0) wake();
      }),
    ),
  );
  for (let n = 0; n < events; n += 1) {
    const everybody = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await source.publish(performance.now());
    await everybody;
  }
  for (const close of streams) close();
  return latencies;
}

function open(source: Source, onEvent: (sent: number) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(source.streamUrl, { headers: source.headers, agent: false }, (response) => {
      let rest = '';
      response.on('data', (chunk: Buffer) => {
        const text = rest + chunk.toString();
        const lines = text.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const at = line.indexOf(MARK);
          if (at >= 0) onEvent(Number.parseFloat(line.slice(at + MARK.length)));
        }
        resolve(() => outgoing.destroy());
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
