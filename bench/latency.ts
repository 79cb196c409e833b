import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { inTurn, toFigure, type Figure } from './figures.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';
import type { Setting } from './setting.js';
import { percentile } from './statistics.js';

/** Time from sending the trigger request to receiving the lease at an idle worker, compared with BullMQ alone. */
export async function triggerToLease(
  platform: BenchPlatform,
  setting: Setting,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const bullMq = await startBaselineQueue(platform.redisUrl);
  await leaseEverything(platform, setting);
  const [baseline = [], ours = []] = await inTurn(
    [() => oneByOne(count, bullMq.roundTrip), () => oneByOne(count, () => triggerAndLease(platform, setting))],
    rounds,
  );
  await bullMq.close();
  return percentiles('trigger to lease at an idle worker', 'BullMQ add → process', ours, baseline);
}

/** Removes the executions of earlier figures from the queue, so that each poll waits for its own trigger. */
async function leaseEverything({ call }: BenchPlatform, { workerId }: Setting): Promise<void> {
  for (;;) {
    const leases = await call<{ execution: { id: string } }[]>('POST', `/api/v1/workers/${workerId}/poll`, {
      max: 100,
      wait_seconds: 0,
    });
    if (leases.length === 0) return;
    await Promise.all(leases.map(({ execution }) => call('POST', `/api/v1/executions/${execution.id}/cancel`)));
  }
}

async function triggerAndLease({ call }: BenchPlatform, { jobId, workerId }: Setting): Promise<void> {
  const poll = call<unknown[]>('POST', `/api/v1/workers/${workerId}/poll`, { max: 1, wait_seconds: 10 });
  await call('POST', `/api/v1/jobs/${jobId}/trigger`, { parameters: { name: 'Ada' } });
  if ((await poll).length !== 1) throw new Error('The poll returned no lease');
}

async function startBaselineQueue(
  redisUrl: string,
): Promise<{ roundTrip: () => Promise<void>; close: () => Promise<void> }> {
  const connect = (): Redis => new Redis(redisUrl, { maxRetriesPerRequest: null });
  const connections = [connect(), connect()] as const;
  const queue = new Queue('{bare}', { connection: connections[0] });
  let arrived: () => void = () => undefined;
  const worker = new Worker('{bare}', async () => arrived(), { connection: connections[1] });
  await worker.waitUntilReady();
  return {
    roundTrip: async () => {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      await queue.add('execution', {}, { removeOnComplete: true });
      await arrival;
    },
    close: async () => {
      await worker.close();
      await queue.close();
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** p50 and p99 of each side, from rounds of single times in milliseconds. */
export function percentiles(
  name: string,
  baselineIs: string,
  ours: readonly (readonly number[])[],
  baseline: readonly (readonly number[])[],
  against: readonly (readonly number[])[] = [],
): Figure[] {
  return [0.5, 0.99].map((part) => {
    const each = (rounds: readonly (readonly number[])[]): number[] => rounds.map((times) => percentile(times, part));
    const label = { name: `${name}, p${part * 100}`, unit: 'ms', baselineIs };
    return toFigure(label, { ours: each(ours), baseline: each(baseline), against: each(against) });
  });
}
