import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RedisConnections } from '@app/connections';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { createRedisBackend, Queue, Worker, type RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { jobIdOf, queueNameOf, type Delivery } from './delivery.js';
import { messageStoreAway } from './task-queue.errors.js';

/**
 * How long BullMQ's lock on a taken message lasts, in milliseconds. Taking and completing are two commands in a row, so
 * a lock that ran out belongs to a process that died between them.
 */
const LOCK_MS = 5000;
/** How long work waits for the first connection before it fails, in milliseconds. */
const CONNECT_MS = 2000;
const QUEUE_OPTIONS = { prefix: 'bull', lockDuration: LOCK_MS, streams: { events: { maxLen: 10 } } };
/** Queues whose objects are kept. They hold no connection, so one that falls out is only made again. */
const KEPT_QUEUES = 2000;
const ADD_OPTIONS = { removeOnComplete: true, removeOnFail: true } as const;

interface BullQueue {
  readonly queue: Queue<Delivery>;
  readonly worker: Worker<Delivery>;
}

/**
 * The BullMQ side of the task queues: one BullMQ queue per worker queue, all of them over one connection of this
 * process, taken from without blocking.
 */
@Injectable()
export class BullQueues {
  private readonly logger = createLogger('task-queues');
  private readonly kept = new LRUCache<string, BullQueue>({ max: KEPT_QUEUES });
  private connected: RedisQueueBackend | undefined;
  private connecting: Promise<RedisQueueBackend> | undefined;
  private readonly options: typeof QUEUE_OPTIONS & { readonly connection: Redis };

  constructor(connections: RedisConnections) {
    this.options = { ...QUEUE_OPTIONS, connection: connections.forQueues };
  }

  /** A delivery that is in the queue already is not added again. */
  async add(queueId: string, deliveries: readonly Delivery[]): Promise<void> {
    const { queue } = await this.open(queueId);
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
    const { worker } = await this.open(queueId);
    const token = randomUUID();
    const job = await worker.getNextJob(token, { block: false });
    if (job === undefined) return undefined;
    await job.moveToCompleted('', token, false);
    return job.data;
  }

  /** How many messages the queue holds. */
  async count(queueId: string): Promise<number> {
    return (await this.open(queueId)).queue.getWaitingCount();
  }

  /** Drops messages that a process took and died with, so that they can be added again. Answers how many. */
  async clearAbandoned(queueId: string): Promise<number> {
    const { queue } = await this.open(queueId);
    const taken = await queue.getActive();
    const removed = await Promise.all(taken.map(async (job) => (job.id === undefined ? 0 : queue.remove(job.id))));
    return removed.filter((count) => count === 1).length;
  }

  private async open(queueId: string): Promise<BullQueue> {
    const root = await this.connect();
    const kept = this.kept.get(queueId);
    if (kept !== undefined) return kept;
    const name = queueNameOf(queueId);
    const sibling = (): RedisQueueBackend => root.forQueue(name) as RedisQueueBackend;
    const queue = new Queue<Delivery>(name, this.options, sibling);
    const worker = new Worker<Delivery>(name, null, { ...this.options, autorun: false }, sibling);
    const note = (error: Error): void =>
      this.logger.warn({ reason: error.message, queue_id: queueId }, 'queue trouble');
    queue.on('error', note);
    worker.on('error', note);
    this.kept.set(queueId, { queue, worker });
    return { queue, worker };
  }

  /**
   * The backend whose connection all queues share, and whose options they take. It greets the server before anything
   * else, for as long as that takes; whoever needs it waits for a while only.
   */
  private async connect(): Promise<RedisQueueBackend> {
    if (this.connected !== undefined) return this.connected;
    this.connecting ??= this.greet().finally(() => (this.connecting = undefined));
    const tooLong = new AbortController();
    try {
      const giveUp = delay(CONNECT_MS, undefined, { signal: tooLong.signal });
      const root = await Promise.race([this.connecting, giveUp]);
      if (root === undefined) throw messageStoreAway();
      return root;
    } finally {
      tooLong.abort();
    }
  }

  private async greet(): Promise<RedisQueueBackend> {
    const root = createRedisBackend('root', this.options, { blocking: false });
    // The connection's own troubles are logged where the connection is made.
    root.on('error', () => undefined);
    await root.waitUntilReady();
    this.connected = root;
    return root;
  }
}
