/** Where a stream writes to: one client's connection. */
export interface StreamSink {
  /** Takes all of it; what the connection does not take at once is queued. */
  write(bytes: Uint8Array | string): void;
  /** Bytes queued and not yet taken by the connection. */
  readonly queuedBytes: number;
  /**
   * From now on a connection that takes nothing of what is queued for so long is closed at once, also when it was told
   * to end. One with nothing queued may be idle for as long as it likes.
   */
  closeWhenStalled(afterMs: number): void;
  /** Resolves with true once the queue is empty, with false when the connection closed. */
  drained(): Promise<boolean>;
  /** Sends what is queued, then closes. */
  end(): void;
  /** Closes at once. */
  destroy(): void;
  /** Called once, when the connection is gone for whatever reason; at once when it is gone already. */
  onClose(listener: () => void): void;
}
