/** The connection of one client, to which a stream writes. */
export interface StreamSink {
  /** Accepts all bytes. Bytes that the connection cannot send at once are queued. */
  write(bytes: Uint8Array | string): void;
  /** Bytes that are queued and not yet sent. */
  readonly queuedBytes: number;
  /**
   * From now on, destroys the connection if it sends none of its queued bytes for this time, even after `end`. A
   * connection without queued bytes can be idle indefinitely.
   */
  closeWhenStalled(afterMs: number): void;
  /** Resolves with true once the queue is empty, with false if the connection closed. */
  drained(): Promise<boolean>;
  /** Sends the queued bytes, then closes. */
  end(): void;
  /** Closes without sending the queue. */
  destroy(): void;
  /** Calls the listener once when the connection closes for any reason; immediately if it is closed already. */
  onClose(listener: () => void): void;
}
