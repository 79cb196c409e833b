import { randomUUID } from 'node:crypto';
import { RedisConnections } from '@app/connections';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { createRedisBackend, Queue, Worker, type RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { jobIdOf, queueNameOf, type Delivery } from './delivery.js';

/**
 * How long BullMQ's lock on a taken message lasts, in milliseconds. Taking and completing are two commands in a row, so
 * a lock that ran out belongs to a process that died between them.
 */
const LOCK_MS = 5000;
const QUEUE_OPTIONS = { prefix: 'bull', lockDuration: LOCK_MS, streams: { events: { maxLen: 10 } } };
/** Queues whose objects are kept. They hold no connection, so one that falls out is only made again. */
const KEPT_QUEUES = 2000;
const ADD_OPTIONS = { removeOnComplete: true, removeOnFail: true } as const;

interface BullQueue {
  readonly queue: Queue<Delivery>;
  readonly worker: Worker<Delivery>;
}

/**
 * The BullMQ side of the task queues: one BullMQ queue per worker queue, all of them over the one shared connection of
 * this process, taken from without blocking.
 */
@Injectable()
export class BullQueues {
  private readonly logger = createLogger('task-queues');
  private readonly kept = new LRUCache<string, BullQueue>({ max: KEPT_QUEUES });
  private root: RedisQueueBackend | undefined;

  constructor(private readonly connections: RedisConnections) {}

  /** A delivery that is in the queue already is not added again. */
  async add(queueId: string, deliveries: readonly Delivery[]): Promise<void> {
    const { queue } = this.open(queueId);
    if (deliveries.length === 1 && deliveries[0] !== undefined) {
      const [delivery] = deliveries;
      await queue.add('deliver', delivery, { ...ADD_OPTIONS, jobId: jobIdOf(delivery) });
    } else if (deliveries.length > 0) {
      const opts = (delivery: Delivery) => ({ ...ADD_OPTIONS, jobId: jobIdOf(delivery) });
      await queue.addBulk(deliveries.map((data) => ({ name: 'deliver', data, opts: opts(data) })));
    }
  }

  /** The next message, out of the queue for good; undefined when there is none. */
  async take(queueId: string): Promise<Delivery | undefined> {
    const { worker } = this.open(queueId);
    const token = randomUUID();
    const job = await worker.getNextJob(token, { block: false });
    if (job === undefined) return undefined;
    await job.moveToCompleted('', token, false);
    return job.data;
  }

  /** How many messages the queue holds. */
  async count(queueId: string): Promise<number> {
    return this.open(queueId).queue.getWaitingCount();
  }

  /** Drops messages that a process took and died with, so that they can be added again. Answers how many. */
  async clearAbandoned(queueId: string): Promise<number> {
    const { queue } = this.open(queueId);
    const taken = await queue.getActive();
    const removed = await Promise.all(taken.map(async (job) => (job.id === undefined ? 0 : queue.remove(job.id))));
    return removed.filter((count) => count === 1).length;
  }

  private open(queueId: string): BullQueue {
    const kept = this.kept.get(queueId);
    if (kept !== undefined) return kept;
    const name = queueNameOf(queueId);
    const opts = { ...QUEUE_OPTIONS, connection: this.connections.commands };
    const sibling = (): RedisQueueBackend => this.openRoot(name, opts).forQueue(name) as RedisQueueBackend;
    const queue = new Queue<Delivery>(name, opts, sibling);
    const worker = new Worker<Delivery>(name, null, { ...opts, autorun: false }, sibling);
    const note = (error: Error): void =>
      this.logger.warn({ reason: error.message, queue_id: queueId }, 'queue trouble');
    queue.on('error', note);
    worker.on('error', note);
    this.kept.set(queueId, { queue, worker });
    return { queue, worker };
  }

  /** The backend whose connection all queues share. A sibling takes its options from it as well. */
  private openRoot(name: string, opts: typeof QUEUE_OPTIONS & { connection: Redis }): RedisQueueBackend {
    if (this.root === undefined) {
      const root = createRedisBackend(name, opts, { blocking: false });
      this.root = root;
      // The connection's own troubles are logged where the connection is made.
      root.on('error', () => undefined);
      // One that could not greet the server stays broken: the next use makes another.
      root.waitUntilReady().catch(() => {
        if (this.root === root) this.root = undefined;
        this.kept.clear();
      });
    }
    return this.root;
  }
}
