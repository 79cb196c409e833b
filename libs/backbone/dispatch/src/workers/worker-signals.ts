import { RedisConnections } from '@app/redis';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';

const CHANNEL = 'dispatch:workers';

export interface WorkerSignalListener {
  /** The commands or the connection of the worker have changed, or may have. */
  readonly onCommands: () => void;
  /** The settings of the worker's queue have changed. */
  readonly onQueueChanged: () => void;
}

/**
 * Notifies the processes that hold worker connections that a worker has a new command, or that its queue has changed. A
 * signal carries no data; the listener reads PostgreSQL. A lost signal costs only time, because responses to heartbeats
 * contain both as well.
 */
@Injectable()
export class WorkerSignals {
  private readonly logger = createLogger('worker-signals');
  private readonly listeners = new Map<string, Set<() => void>>();

  constructor(private readonly connections: RedisConnections) {}

  /** Never rejects. */
  async commanded(...workerIds: readonly string[]): Promise<void> {
    await Promise.all(workerIds.map((id) => this.publish(ofWorker(id))));
  }

  /** Never rejects. */
  async queueChanged(queueId: string): Promise<void> {
    await this.publish(ofQueue(queueId));
  }

  /** Returns a function that removes the listener. */
  listen(worker: { readonly id: string; readonly queueId: string }, listener: WorkerSignalListener): () => void {
    this.subscribe();
    const ends = [
      this.add(ofWorker(worker.id), listener.onCommands),
      this.add(ofQueue(worker.queueId), listener.onQueueChanged),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  private add(signal: string, listener: () => void): () => void {
    const listeners = this.listeners.get(signal) ?? new Set();
    this.listeners.set(signal, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(signal) === listeners) this.listeners.delete(signal);
    };
  }

  private async publish(signal: string): Promise<void> {
    await this.connections.commands.publish(CHANNEL, signal).catch((error: unknown) => {
      this.logger.warn(
        { reason: (error as Error).message, signal },
        'sending the signal failed; the worker learns of the change with its next heartbeat',
      );
    });
  }

  /**
   * Signals before the subscription or while the connection was lost are missed, so every worker reads its commands
   * afterwards. Changes of queues are not urgent: workers learn of them with their next heartbeat.
   */
  private subscribe(): void {
    this.connections.subscriptions.follow(CHANNEL, {
      onMessage: (message) => this.call(message.toString()),
      onSubscribed: () => [...this.listeners.keys()].filter(isOfWorker).forEach((signal) => this.call(signal)),
    });
  }

  private call(signal: string): void {
    for (const listener of this.listeners.get(signal) ?? []) listener();
  }
}

const ofWorker = (id: string): string => `worker ${id}`;
const isOfWorker = (signal: string): boolean => signal.startsWith('worker ');
const ofQueue = (id: string): string => `queue ${id}`;
