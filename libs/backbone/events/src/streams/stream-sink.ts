/** The connection of one client, to which a stream writes. */
export interface StreamSink {
  /**
   * Accepts all bytes. Bytes that the connection cannot send at once are queued. Calls `onSent` once when the system has
   * accepted the bytes or the connection has dropped them; not necessarily if the connection closes before.
   */
  write(bytes: Uint8Array | string, onSent?: () => void): void;
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

/** A connection whose queued bytes are bounded together with those of the other streams of its organization. */
export interface BoundedSink extends StreamSink {
  /**
   * Whether the streams hold as many bytes as they may. Then nothing should be queued that can be read from its store
   * later.
   */
  readonly isCrowded: boolean;
  /**
   * Runs a step that reads a page of up to `bytes` and writes it, when these bytes may be queued. Returns undefined
   * without running it if the connection closes before.
   */
  turn<T>(bytes: number, step: () => Promise<T>): Promise<T | undefined>;
}
