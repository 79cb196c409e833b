/** Where a stream writes to: one client's connection. */
export interface StreamSink {
  /** Takes all of it; what the connection does not take at once is queued. */
  write(bytes: Uint8Array | string): void;
  /** Bytes queued and not yet taken by the connection. */
  readonly queuedBytes: number;
  /** Resolves with true once the queue is empty, with false when the connection closed or took longer than allowed. */
  drained(limitMs: number): Promise<boolean>;
  /** Sends what is queued, then closes. */
  end(): void;
  /** Closes at once. */
  destroy(): void;
  /** Called once, when the connection is gone for whatever reason; at once when it is gone already. */
  onClose(listener: () => void): void;
}
