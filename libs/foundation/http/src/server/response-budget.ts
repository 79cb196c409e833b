import type { ServerResponse } from 'node:http';
import { ResponseConfig } from '@app/config';
import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { BudgetPerHolder, ByteBudget, CombinedBudget } from '../bodies/byte-budget.js';
import { onResponseClosed } from '../wire/on-response-closed.js';
import type { WireRequest } from '../wire/wire-request.js';

const QUEUED = 'platform_response_queued_bytes';
/** In bytes. A shorter response mostly fits into the buffers of the system. */
const MIN_BYTES = 65_536;

/**
 * Bounds the bytes of the JSON responses that are being sent to callers of each organization, and of all: a client that
 * does not read its response makes the process keep it.
 */
@Injectable()
export class ResponseBudget extends MetricSource {
  override readonly gauges: readonly Gauge[] = [
    { name: QUEUED, help: 'Bytes of large JSON responses of this process that are not completely sent' },
  ];
  private readonly organizations: BudgetPerHolder;
  private readonly all: ByteBudget;
  private heldBytes = 0;

  constructor({ queuedBytes, queuedBytesOfProcess }: ResponseConfig) {
    super();
    const message = (whose: string, limit: number): string =>
      `${whose} may have at most ${limit} unread bytes in a process; read them, or try again`;
    this.organizations = new BudgetPerHolder(queuedBytes, message('Responses to the organization', queuedBytes));
    this.all = new ByteBudget(queuedBytesOfProcess, message('All responses', queuedBytesOfProcess));
  }

  /**
   * Counts the body of a response with a caller until the response has ended. Throws `server_busy` if a limit is
   * exceeded, unless the request is a write: its client must learn that it succeeded.
   */
  hold(response: ServerResponse, { caller, method }: WireRequest, text: string): void {
    const bytes = text.length < MIN_BYTES / 3 ? 0 : Buffer.byteLength(text);
    if (caller === undefined || bytes < MIN_BYTES) return;
    const budget = new CombinedBudget([this.organizations.of(caller.organizationId), this.all]);
    try {
      budget.reserve(bytes);
    } catch (error) {
      if (method !== 'GET') return;
      throw error;
    }
    this.heldBytes += bytes;
    onResponseClosed(response, () => {
      this.heldBytes -= bytes;
      budget.release(bytes);
    });
  }

  override read(): Promise<readonly Reading[]> {
    return Promise.resolve([{ name: QUEUED, value: this.heldBytes }]);
  }
}
