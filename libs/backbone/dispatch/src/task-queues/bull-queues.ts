import { randomUUID } from 'node:crypto';
import { RedisConnections, type RedisClient } from '@app/redis';
import { unavailable, type DomainError } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { createRedisBackend, Job, Queue, Worker, type JobJson, type RedisQueueBackend } from 'bullmq';
import { TaskCancelledError, timeout, TimeoutStrategy } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { jobIdOf, queueNameOf, type Delivery } from './delivery.js';

/**
 * Duration of BullMQ's lock on a received message. A message is received and completed by two consecutive commands, so an
 * expired lock belongs to a process that died between them.
 */
const LOCK_DURATION_MS = 5000;
/** Calls fail if the first connection takes longer than this. */
const CONNECT_TIMEOUT_MS = 2000;
const QUEUE_OPTIONS = { prefix: 'bull', lockDuration: LOCK_DURATION_MS, streams: { events: { maxLen: 10 } } };
/** Cached BullMQ objects. They share a connection, so an evicted one is created again at low cost. */
const MAX_CACHED_QUEUES = 2000;
const ADD_OPTIONS = { removeOnComplete: true, removeOnFail: true } as const;

interface BullQueue {
  readonly queue: Queue<Delivery>;
  readonly worker: Worker<Delivery>;
  /** Whether the instance has written the settings of the queue, a key of Redis. */
  readonly hasSettings: boolean;
}

const messageStoreUnavailable = (): DomainError =>
  unavailable('message_store_unavailable', 'The message store cannot be reached');

/** One BullMQ queue per worker queue. All share one connection of the process; no command on it blocks. */
@Injectable()
export class BullQueues {
  private readonly logger = createLogger('task-queues');
  private readonly cache = new LRUCache<string, BullQueue>({ max: MAX_CACHED_QUEUES });
  private connected: RedisQueueBackend | undefined;
  private connecting: Promise<RedisQueueBackend> | undefined;
  private readonly options: typeof QUEUE_OPTIONS & { readonly connection: RedisClient };

  constructor(connections: RedisConnections) {
    this.options = { ...QUEUE_OPTIONS, connection: connections.forQueues };
  }

  /** Idempotent: a delivery that is already in the queue is not added again. */
  async add(queueId: string, deliveries: readonly Delivery[]): Promise<void> {
    const { queue } = await this.open(queueId, { isAdding: true });
    if (deliveries.length === 1 && deliveries[0] !== undefined) {
      const [delivery] = deliveries;
      await queue.add('deliver', delivery, { ...ADD_OPTIONS, jobId: jobIdOf(delivery) });
    } else if (deliveries.length > 0) {
      const opts = (delivery: Delivery) => ({ ...ADD_OPTIONS, jobId: jobIdOf(delivery) });
      await queue.addBulk(deliveries.map((data) => ({ name: 'deliver', data, opts: opts(data) })));
    }
  }

  /** Adds deliveries before all others, in their order. Idempotent like `add`. */
  async addFirst(queueId: string, deliveries: readonly Delivery[]): Promise<void> {
    const { queue } = await this.open(queueId, { isAdding: true });
    const opts = (delivery: Delivery) => ({ ...ADD_OPTIONS, jobId: jobIdOf(delivery), lifo: true });
    // Each is placed before the previous one.
    await queue.addBulk(deliveries.toReversed().map((data) => ({ name: 'deliver', data, opts: opts(data) })));
  }

  /**
   * Returns the deliveries that have no message in Redis. A message is either waiting or taken by a process that is
   * about to complete it.
   */
  async missing(queueId: string, deliveries: readonly Delivery[]): Promise<Delivery[]> {
    const { queue } = await this.open(queueId);
    const { connection } = this.options;
    const found = await Promise.all(deliveries.map((delivery) => connection.exists(queue.toKey(jobIdOf(delivery)))));
    return deliveries.filter((_delivery, index) => found[index] === 0);
  }

  /** Removes and yields up to `max` deliveries. The command that completes a delivery receives the next one. */
  async *take(queueId: string, max: number): AsyncGenerator<Delivery> {
    const { worker } = await this.open(queueId);
    const token = randomUUID();
    let job: Job<Delivery> | undefined = await worker.getNextJob(token, { block: false });
    for (let taken = 1; job !== undefined; taken += 1) {
      const [json, id] = ((await job.moveToCompleted('', token, taken < max)) ?? []) as [JobJson?, string?];
      yield job.data;
      job = json == null ? undefined : Job.fromJSON<Delivery>(worker, json, id);
    }
  }

  /** Removes a delivery if it is in the queue. Idempotent. */
  async remove(queueId: string, delivery: Delivery): Promise<void> {
    await (await this.open(queueId)).queue.remove(jobIdOf(delivery));
  }

  /** Removes all keys of the queue. Idempotent. */
  async delete(queueId: string): Promise<void> {
    const { queue } = await this.open(queueId);
    await queue.obliterate({ force: true });
    this.cache.delete(queueId);
  }

  async count(queueId: string): Promise<number> {
    return (await this.open(queueId)).queue.getWaitingCount();
  }

  /** Removes deliveries that a process took and did not complete before it died. Returns their number. */
  async clearAbandoned(queueId: string): Promise<number> {
    const { queue } = await this.open(queueId);
    const active = await queue.getActive();
    const removed = await Promise.all(active.map(async (job) => (job.id === undefined ? 0 : queue.remove(job.id))));
    return removed.filter((count) => count === 1).length;
  }

  /**
   * Only a process that adds writes the settings of the queue: one that removes a delivery may do so after the queue was
   * deleted, and would leave a key behind.
   */
  private async open(queueId: string, { isAdding = false } = {}): Promise<BullQueue> {
    const root = await this.connect();
    const cached = this.cache.get(queueId);
    if (cached !== undefined && (cached.hasSettings || !isAdding)) return cached;
    const name = queueNameOf(queueId);
    const newBackend = (): RedisQueueBackend => root.forQueue(name) as RedisQueueBackend;
    const queue = new Queue<Delivery>(name, { ...this.options, skipMetasUpdate: !isAdding }, newBackend);
    const worker = new Worker<Delivery>(name, null, { ...this.options, autorun: false }, newBackend);
    const logError = (error: Error): void =>
      this.logger.warn({ reason: error.message, queue_id: queueId }, 'BullMQ queue error');
    queue.on('error', logError);
    worker.on('error', logError);
    const opened = { queue, worker, hasSettings: isAdding };
    this.cache.set(queueId, opened);
    return opened;
  }

  /**
   * Returns the backend whose connection all queues share. Connecting has no time limit, but each caller waits at most
   * `CONNECT_TIMEOUT_MS` and then throws `message_store_unavailable`.
   */
  private async connect(): Promise<RedisQueueBackend> {
    if (this.connected !== undefined) return this.connected;
    const connecting = (this.connecting ??= this.createBackend().finally(() => (this.connecting = undefined)));
    try {
      return await timeout(CONNECT_TIMEOUT_MS, TimeoutStrategy.Aggressive).execute(() => connecting);
    } catch (error) {
      throw error instanceof TaskCancelledError ? messageStoreUnavailable() : error;
    }
  }

  private async createBackend(): Promise<RedisQueueBackend> {
    const root = createRedisBackend('root', this.options, { blocking: false });
    // RedisConnections logs connection errors; without a listener the event would be thrown.
    root.on('error', () => undefined);
    await root.waitUntilReady();
    this.connected = root;
    return root;
  }
}
