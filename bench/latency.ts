import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Figure } from './figures.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';
import type { Setting } from './setting.js';
import { median, percentile } from './statistics.js';

/** From the trigger's request leaving to the lease's arrival at a worker that waits for work, beside BullMQ alone. */
export async function triggerToLease(
  platform: BenchPlatform,
  setting: Setting,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const bare = await startBareQueue(platform.redisUrl);
  const ours: number[][] = [];
  const limit: number[][] = [];
  await leaseEverything(platform, setting);
  for (let round = 0; round < rounds; round += 1) {
    limit.push(await oneByOne(count, bare.roundTrip));
    ours.push(await oneByOne(count, () => triggerAndLease(platform, setting)));
  }
  await bare.close();
  return percentiles('trigger to lease at an idle worker', 'BullMQ add → process', ours, limit);
}

/** What earlier figures left in the queue is taken and cancelled, so that each poll waits for its own trigger. */
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
  if ((await poll).length !== 1) throw new Error('The poll came back without a lease');
}

async function startBareQueue(
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

/** The median and the slowest hundredth of each side, from rounds of single times in milliseconds. */
export function percentiles(name: string, limitIs: string, ours: number[][], limit: number[][]): Figure[] {
  return [0.5, 0.99].map((part) => {
    const rounds = {
      ours: ours.map((times) => percentile(times, part)),
      limit: limit.map((times) => percentile(times, part)),
    };
    const figure = { ours: median(rounds.ours), limit: median(rounds.limit) };
    return {
      name: `${name}, p${part * 100}`,
      unit: 'ms',
      limitIs,
      ...figure,
      ratio: figure.ours / figure.limit,
      rounds,
    };
  });
}
