import { AsyncResource } from 'node:async_hooks';
import { bulkhead, type BulkheadPolicy } from 'cockatiel';

/**
 * Bounds the connections that the work of one organization holds at the same time; further work waits without a connection,
 * in order. Other organizations do not wait for it.
 */
export class ConnectionShares {
  private readonly active = new Map<string, BulkheadPolicy>();

  constructor(private readonly connections: number) {}

  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const share = this.active.get(organizationId) ?? bulkhead(this.connections, Infinity);
    this.active.set(organizationId, share);
    try {
      // Waiting work is started when other work ends, but must run in the asynchronous context of its own caller.
      return await share.execute(AsyncResource.bind(work));
    } finally {
      if (share.executionSlots === this.connections) this.active.delete(organizationId);
    }
  }
}
