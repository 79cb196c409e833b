import type { StepReport } from '../../control-plane/control-plane.port.js';

/** Keeps a request below the size limit of the control plane, also if every step in it has the longest output. */
const MAX_BATCH = 10;

interface Entry {
  readonly report: StepReport;
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Stores the states of steps in order, one request at a time. Reports that are made during a request share the next
 * one, so that many parallel steps need few requests.
 */
export class StepJournal {
  private readonly queue: Entry[] = [];
  private isWriting = false;

  constructor(private readonly send: (reports: readonly StepReport[]) => Promise<void>) {}

  /** Resolves when the report is stored. */
  write(report: StepReport): Promise<void> {
    const written = new Promise<void>((stored, failed) => this.queue.push({ report, stored, failed }));
    if (!this.isWriting) void this.drain();
    return written;
  }

  private async drain(): Promise<void> {
    this.isWriting = true;
    // Lets reports of the same turn share the first request.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const batch = this.nextBatch();
      try {
        await this.send(batch.map(({ report }) => report));
        for (const { stored } of batch) stored();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.isWriting = false;
  }

  /** A request names each step once. */
  private nextBatch(): Entry[] {
    const names = new Set<string>();
    const repeated = this.queue.findIndex(({ report: { name } }) => names.size === names.add(name).size);
    return this.queue.splice(0, Math.min(MAX_BATCH, repeated === -1 ? this.queue.length : repeated));
  }
}
