import type { ServerResponse } from 'node:http';
import { ResponseConfig } from '@app/config';
import { MetricSource, type Gauge, type Reading } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { BudgetPerHolder, ByteBudget, type Budget } from '../bodies/byte-budget.js';
import { HttpProblem } from '../errors/http-problem.js';
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

  constructor(private readonly config: ResponseConfig) {
    super();
    this.organizations = new BudgetPerHolder(config.queuedBytes);
    this.all = new ByteBudget(config.queuedBytesOfProcess);
  }

  /**
   * Counts the body of a response with a caller until the response has ended. Throws `server_busy` if a limit is
   * exceeded, unless the request is a write: its client must learn that it succeeded.
   */
  hold(response: ServerResponse, { caller, method }: WireRequest, text: string): void {
    const bytes = text.length < MIN_BYTES / 3 ? 0 : Buffer.byteLength(text);
    if (caller === undefined || bytes < MIN_BYTES) return;
    const { queuedBytes, queuedBytesOfProcess } = this.config;
    const own = this.organizations.of(caller.organizationId);
    try {
      reserve(own, bytes, `Responses to the organization may have at most ${queuedBytes} unread bytes in a process`);
      try {
        reserve(this.all, bytes, `All responses may have at most ${queuedBytesOfProcess} unread bytes in a process`);
      } catch (error) {
        own.release(bytes);
        throw error;
      }
    } catch (error) {
      if (method !== 'GET') return;
      throw error;
    }
    this.heldBytes += bytes;
    onResponseClosed(response, () => {
      this.heldBytes -= bytes;
      own.release(bytes);
      this.all.release(bytes);
    });
  }

  override read(): Promise<readonly Reading[]> {
    return Promise.resolve([{ name: QUEUED, value: this.heldBytes }]);
  }
}

/** Names the limit in the error. */
function reserve(budget: Budget, bytes: number, message: string): void {
  try {
    budget.reserve(bytes);
  } catch {
    throw new HttpProblem('server_busy', `${message}; read them, or try again`);
  }
}
