import type { ControlPlaneComponents } from '@app/api-client';
import { isJsonObject } from '@app/kernel';
import { ControlPlaneError, failureKind, isFailure } from './control-plane.errors.js';

type Schemas = ControlPlaneComponents['schemas'];
export type WireReport = Schemas['ReportRequest'];
export type ReportOutcome = Schemas['ReportOutcome'];

/** Requests that are under way when further reports begin to wait. */
const MAX_IN_FLIGHT = 2;
/** Bounds of one request: the control plane accepts 64 reports and 1 MiB. */
const MAX_REPORTS = 64;
const MAX_BYTES = 524_288;
/** A larger report is sent alone. */
const MAX_REPORT_BYTES = 65_536;
/** A report that has waited for this long, in milliseconds, no longer waits for requests that do not end. */
const MAX_WAIT_MS = 250;

/** One report on an execution: what is sent, alone or with others, and how its result is read. */
export interface SharedReport<T> {
  /** For messages: what the report does. */
  readonly what: string;
  readonly report: WireReport;
  readonly signal: AbortSignal;
  readonly alone: () => Promise<T>;
  readonly read: (outcome: ReportOutcome) => T;
}

interface Waiting {
  readonly report: WireReport;
  readonly bytes: number;
  readonly isEnded: () => boolean;
  readonly alone: () => void;
  readonly settle: (outcome: ReportOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends reports of all runs of the worker. A report is sent at once and alone while few requests are under way; those that
 * arrive meanwhile wait and are sent in one request. Each has its own result, as if it had been sent alone.
 */
export class SharedReports {
  private readonly waiting: Waiting[] = [];
  private inFlight = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `together` sends several reports and returns their outcomes in the same order. */
  constructor(private readonly together: (reports: WireReport[]) => Promise<readonly ReportOutcome[]>) {}

  async send<T>(shared: SharedReport<T>): Promise<T> {
    shared.signal.throwIfAborted();
    const bytes = Buffer.byteLength(JSON.stringify(shared.report));
    const isFree = this.inFlight < MAX_IN_FLIGHT && this.waiting.length === 0;
    if (isFree || bytes > MAX_REPORT_BYTES) return this.counted(shared.alone);
    return new Promise<T>((resolve, reject) => {
      this.waiting.push(this.entryOf(shared, bytes, resolve, reject));
      this.timer ??= setTimeout(() => this.begin(Number.POSITIVE_INFINITY), MAX_WAIT_MS);
    });
  }

  private entryOf<T>(
    { what, report, signal, alone, read }: SharedReport<T>,
    bytes: number,
    resolve: (result: T | Promise<T>) => void,
    reject: (error: unknown) => void,
  ): Waiting {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const end = (): void => signal.removeEventListener('abort', abort);
    return {
      report,
      bytes,
      isEnded: () => signal.aborted,
      alone: () => {
        end();
        resolve(this.counted(alone));
      },
      settle: (outcome) => {
        end();
        if (outcome.status < 300) resolve(read(outcome));
        else reject(errorOf(what, outcome));
      },
      reject: (error) => {
        end();
        reject(error);
      },
    };
  }

  private async counted<T>(request: () => Promise<T>): Promise<T> {
    this.inFlight += 1;
    try {
      return await request();
    } finally {
      this.inFlight -= 1;
      this.begin(MAX_IN_FLIGHT);
    }
  }

  /** Sends what waits, while fewer requests than this are under way. */
  private begin(maxInFlight: number): void {
    while (this.waiting.length > 0 && this.inFlight < maxInFlight) {
      const batch = this.next();
      if (batch.length === 1) batch[0]?.alone();
      else if (batch.length > 1) void this.counted(() => this.sendTogether(batch));
    }
    if (this.waiting.length > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Removes and returns the next reports that fit into one request, without those whose callers no longer wait. */
  private next(): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    for (let head = this.waiting[0]; head !== undefined; head = this.waiting[0]) {
      bytes += head.isEnded() ? 0 : head.bytes;
      if (batch.length === MAX_REPORTS || (bytes > MAX_BYTES && batch.length > 0)) break;
      this.waiting.shift();
      if (!head.isEnded()) batch.push(head);
    }
    return batch;
  }

  /**
   * A refusal of the whole request says nothing about the single reports: a control plane of an earlier version does not
   * know the route. They are then sent alone.
   */
  private async sendTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.together(batch.map(({ report }) => report));
      if (outcomes.length !== batch.length) throw new ControlPlaneError('broken', 'reports returned too few outcomes');
      for (const [index, outcome] of outcomes.entries()) batch[index]?.settle(outcome);
    } catch (error) {
      const mayHelpAlone = error instanceof ControlPlaneError && !isFailure(error, 'unavailable');
      for (const one of batch) {
        if (mayHelpAlone) one.alone();
        else one.reject(error);
      }
    }
  }
}

function errorOf(what: string, { status, error_code: code, error, retry_after: seconds }: ReportOutcome): Error {
  const sent: unknown = isJsonObject(error) ? error['detail'] : undefined;
  const detail = typeof sent === 'string' && sent !== '' ? sent : (JSON.stringify(sent) ?? 'no error detail');
  const message = `${what} failed with ${status}: ${detail}`;
  const retryAfterMs = seconds === null ? null : seconds * 1000;
  return new ControlPlaneError(failureKind(status, code), message, retryAfterMs, null, { code, detail });
}
