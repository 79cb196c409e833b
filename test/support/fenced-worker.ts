import { setTimeout as sleep } from 'node:timers/promises';
import { random } from './chaos.js';
import type { CallOptions, HttpResponse } from './http.js';

/** Longer than the leases of the test: another worker may have the execution when the write arrives. */
const LATE_MS = 3000;
const LATE_SHARE = 0.3;
/**
 * Share of the attempts that end with a reported failure, after which the retry policy of the job starts another
 * attempt. The first attempts of a worker end in this way, until a failure is acknowledged.
 */
const FAILED_SHARE = 0.25;

interface Lease {
  readonly lease_token: string;
  readonly attempt: number;
  readonly execution: { readonly id: string };
}

export interface FencedWorkerOptions {
  readonly queueId: string;
  /** Sends a request to one of the control planes; rejects if there is no response. */
  readonly send: (method: string, path: string, options?: CallOptions) => Promise<HttpResponse>;
  readonly stopped: AbortSignal;
}

/**
 * A worker without heartbeats that often ends its runs later than its lease does, and records which of its final writes
 * were acknowledged. An execution must keep the first of them.
 */
export class FencedWorker {
  /** The responses that were acknowledged as final, of each execution. */
  readonly acknowledged = new Map<string, Set<string>>();
  /** Final writes that were rejected because another worker has the execution or has ended it. */
  rejected = 0;
  /** Reported failures that were acknowledged: each of them must be followed by another attempt. */
  failed = 0;
  private workerId: string | undefined;

  constructor(private readonly options: FencedWorkerOptions) {}

  /** Runs executions until the signal aborts. */
  async run(): Promise<void> {
    while (!this.options.stopped.aborted) {
      const lease = await this.poll().catch(() => undefined);
      if (lease === undefined) await sleep(50);
      else await this.complete(lease);
    }
  }

  private async poll(): Promise<Lease | undefined> {
    const { send, queueId } = this.options;
    if (this.workerId === undefined) {
      const started = await send('POST', `/worker-queues/${queueId}/start`, { body: {} });
      if (started.status !== 200) return undefined;
      this.workerId = (started.body as { worker_id: string }).worker_id;
    }
    const polled = await send('POST', `/workers/${this.workerId}/poll`, { body: { wait_seconds: 1 } });
    if (polled.status === 200) return (polled.body as Lease[])[0];
    if (polled.status < 500) this.workerId = undefined;
    return undefined;
  }

  private async complete({ lease_token, attempt, execution: { id } }: Lease): Promise<void> {
    const headers = { 'X-Lease-Token': lease_token };
    const response = `attempt ${attempt} of ${lease_token.slice(0, 6)}`;
    const write = (path: string, method: string, body: object): Promise<number | undefined> =>
      this.options.send(method, `/executions/${id}${path}`, { headers, body }).then(
        ({ status }) => status,
        () => undefined,
      );
    if ((await write('', 'PATCH', { status: 'running' })) !== 200) return;
    await write('/events', 'POST', { event_type: 'message_chunk', data: { content: response } });
    if (random() < LATE_SHARE) await sleep(LATE_MS);
    if (this.failed === 0 || random() < FAILED_SHARE) {
      const reported = await write('', 'PATCH', { status: 'failed', error_message: 'The tool is not available' });
      if (reported === 200) this.failed += 1;
      return;
    }
    const status = await write('', 'PATCH', { status: 'completed', response });
    if (status === 409) this.rejected += 1;
    if (status !== 200) return;
    const acknowledged = this.acknowledged.get(id) ?? new Set<string>();
    this.acknowledged.set(id, acknowledged.add(response));
  }
}
