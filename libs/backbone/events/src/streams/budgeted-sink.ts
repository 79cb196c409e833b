import type { StreamShare } from './stream-budget.js';
import type { BoundedSink, StreamSink } from './stream-sink.js';

/** The connection of one client, whose queued bytes count towards its share of the budget. */
export class BudgetedSink implements BoundedSink {
  /** Closes the share when the connection closes. */
  constructor(
    private readonly sink: StreamSink,
    private readonly share: StreamShare,
  ) {
    sink.onClose(() => share.close());
  }

  write(bytes: Uint8Array | string): void {
    const size = Buffer.byteLength(bytes);
    this.share.add(size);
    this.sink.write(bytes, () => this.share.remove(size));
  }

  get queuedBytes(): number {
    return this.sink.queuedBytes;
  }

  get isCrowded(): boolean {
    return this.share.isExceeded;
  }

  turn<T>(bytes: number, step: () => Promise<T>): Promise<T | undefined> {
    return this.share.turn(bytes, step);
  }

  closeWhenStalled(afterMs: number): void {
    this.sink.closeWhenStalled(afterMs);
  }

  drained(): Promise<boolean> {
    return this.sink.drained();
  }

  end(): void {
    this.sink.end();
  }

  destroy(): void {
    this.sink.destroy();
  }

  onClose(listener: () => void): void {
    this.sink.onClose(listener);
  }
}
