import type { JsonObject } from '@app/kernel';
import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  encodeStreamFrame,
  gapFrame,
  InvalidFrameError,
  type EventFrame,
  type FrameBatch,
} from '../log/event-frame.js';
import { formatEventId, type EventId } from '../log/event-id.js';
import type { EventLog, LogPage } from '../log/event-log.js';
import type { ExecutionRef } from '../log/event-types.js';
import { comparePosition, isAtEvent, type LogPosition } from '../log/log-cursor.js';
import type { BoundedSink } from './stream-sink.js';

/**
 * Maximum number of bytes that a live reader may lag behind. Beyond it, the reader is disconnected; the client can
 * resume by id.
 */
const MAX_QUEUED_BYTES = 4 * 1_048_576;
/** Bytes of live events buffered for a reader that is catching up; beyond it the list is read again instead. */
const MAX_BUFFERED_BYTES = 1_048_576;
/** Maximum size of a page of the log: that of an event, because a page contains at least one. */
const MAX_PAGE_BYTES = 1_048_576;
/** Events of this size are sent at once even if the streams of the organization hold too many bytes. */
const SMALL_BYTES = 16_384;
/** Pause between two attempts to read the log while Redis is unreachable. */
const RETRY_MS = 500;

const logger = createLogger('events');

/** `too_slow`: the reader lagged too far behind; `unreadable`: the log of its execution is invalid. */
const dropped = createCounter(
  'platform_stream_readers_dropped_total',
  'Stream readers that were disconnected because they were too slow or their event log was invalid',
  { reason: ['too_slow', 'unreadable'] },
);

export interface ReaderStart {
  readonly execution: ExecutionRef;
  readonly position: LogPosition;
  /** Called after a `done` event was sent. The function must call `finish` if the execution is final. */
  readonly onDone: () => void;
}

/**
 * One reader of the events of one execution. It is either catching up (it reads the list page by page, as fast as its
 * connection sends the pages) or live (it receives events as they are published). After an event that is not provably
 * the next one, it catches up again. Its stream therefore has no duplicates, and no gap that is not reported.
 */
export class EventReader {
  private mode: 'catching-up' | 'live' | 'closed' = 'catching-up';
  private position: LogPosition;
  private buffered: EventFrame[] = [];
  private bufferedBytes = 0;
  private bufferOverflow = false;
  private lastType: string | null = null;
  private final: JsonObject | null = null;
  private running = false;

  constructor(
    private readonly start: ReaderStart,
    private readonly log: Pick<EventLog, 'read'>,
    private readonly sink: BoundedSink,
  ) {
    this.position = start.position;
    sink.onClose(() => this.detach());
  }

  get execution(): ExecutionRef {
    return this.start.execution;
  }

  get closed(): boolean {
    return this.mode === 'closed';
  }

  /** Receives published events in log order. */
  receive(batch: FrameBatch): void {
    if (this.mode === 'catching-up') return this.buffer(batch);
    if (this.mode === 'closed') return;
    const { queuedBytes, isCrowded } = this.sink;
    if (queuedBytes > MAX_QUEUED_BYTES) return this.disconnect('too_slow', 'too slow');
    // The log keeps the events until the connection may queue them.
    if (isCrowded && (queuedBytes > 0 || batch.bytes.length > SMALL_BYTES)) return this.catchUp();
    if (batch.connected && comparePosition(this.position, batch.first.id) === 'next') {
      this.send(batch.bytes, batch.last);
      if (batch.hasDone) this.onDoneSent();
    } else this.acceptEach(batch.frames);
  }

  /**
   * Reads the list from the current position, then becomes live. Must be called at the start and whenever live events
   * may have been lost.
   */
  catchUp(): void {
    if (this.mode === 'live') this.mode = 'catching-up';
    else this.bufferOverflow = true;
    if (!this.running) void this.run();
  }

  /** Makes a live reader catch up if it is not at the newest event. */
  catchUpTo(newest: EventId): void {
    if (this.mode === 'live' && !isAtEvent(this.position, newest)) this.catchUp();
  }

  /**
   * Sends the remaining events of a final execution, then `done` (from the log; if it is not there, created from
   * `data`), and closes.
   */
  finish(data: JsonObject): void {
    if (this.final !== null) return;
    this.final = data;
    if (this.mode === 'live' && this.lastType === 'done') this.close();
    else this.catchUp();
  }

  /** Ends the stream after its queue is sent. The client can resume by id on any process. */
  close(): void {
    if (this.closed) return;
    this.detach();
    this.sink.end();
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      while (this.mode === 'catching-up') {
        if (!(await this.sink.drained())) return this.detach();
        const sent = await this.sink.turn(MAX_PAGE_BYTES, () => this.sendPage());
        if (sent === undefined) return;
        if (!(await this.sink.drained())) return this.detach();
        if (sent.complete) this.goLive(sent.final);
      }
    } finally {
      this.running = false;
    }
  }

  /** Returns whether the page reaches the end of the log, and the final state that was known before it was read. */
  private async sendPage(): Promise<{ readonly complete: boolean; readonly final: JsonObject | null } | undefined> {
    const { final } = this;
    this.bufferOverflow = false;
    const page = await this.readPage();
    if (page === undefined) return undefined;
    this.deliver(page);
    return { complete: page.complete, final };
  }

  /** Retries while Redis is unreachable. Returns undefined if the reader is closed or the log is invalid. */
  private async readPage(): Promise<LogPage | undefined> {
    while (!this.closed) {
      try {
        const page = await this.log.read(this.execution, this.position);
        if (page.invalid > 0) throw new InvalidFrameError(this.execution.executionId);
        return this.closed ? undefined : page;
      } catch (error) {
        if (isInvalidLog(error)) {
          this.disconnect('unreadable', (error as Error).message);
          return undefined;
        }
        logger.debug(
          { execution_id: this.execution.executionId, reason: (error as Error).message },
          'event log unreachable, retrying',
        );
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }

  private deliver({ gap, frames, position }: LogPage): void {
    if (gap !== null) this.sink.write(gapFrame(this.lastKnownId(), gap));
    const last = frames.at(-1);
    if (last === undefined) this.position = position;
    else this.send(Buffer.concat(frames.map((frame) => frame.bytes)), last);
    if (frames.some((frame) => frame.type === 'done')) this.onDoneSent();
  }

  /** Called after all events of the log were sent. `final` is the final state that was known before the last read. */
  private goLive(final: JsonObject | null): void {
    if (final !== null) return this.finishWith(final);
    if (this.bufferOverflow || this.final !== null) return;
    // Reads the buffered events again when the connection may queue them.
    if (this.sink.isCrowded && this.bufferedBytes > SMALL_BYTES) return this.clearBuffer();
    const { buffered } = this;
    this.clearBuffer();
    this.mode = 'live';
    this.acceptEach(buffered);
  }

  private finishWith(final: JsonObject): void {
    if (this.lastType !== 'done') this.sink.write(encodeStreamFrame('done', final));
    this.close();
  }

  private acceptEach(frames: readonly EventFrame[]): void {
    for (const frame of frames) {
      const order = comparePosition(this.position, frame.id);
      if (order === 'jump') return this.catchUp();
      if (order === 'next') {
        this.send(frame.bytes, frame);
        if (frame.type === 'done') this.onDoneSent();
      }
    }
  }

  private lastKnownId(): string | null {
    return typeof this.position === 'object' ? formatEventId(this.execution.executionId, this.position) : null;
  }

  /** Any publisher can send a `done`; only the state of the execution decides whether it is the end. */
  private onDoneSent(): void {
    if (this.final === null) this.start.onDone();
  }

  private send(bytes: Buffer, last: EventFrame): void {
    this.sink.write(bytes);
    this.position = last.id;
    this.lastType = last.type;
  }

  private buffer(batch: FrameBatch): void {
    if (this.bufferOverflow) return;
    this.bufferedBytes += batch.bytes.length;
    if (this.bufferedBytes <= MAX_BUFFERED_BYTES && !this.sink.isCrowded) this.buffered.push(...batch.frames);
    else {
      this.clearBuffer();
      this.bufferOverflow = true;
    }
  }

  private clearBuffer(): void {
    this.buffered = [];
    this.bufferedBytes = 0;
  }

  private disconnect(cause: 'too_slow' | 'unreadable', reason: string): void {
    if (this.closed) return;
    dropped.inc({ reason: cause });
    const { queuedBytes } = this.sink;
    logger.info(
      { execution_id: this.execution.executionId, reason, queued_bytes: queuedBytes },
      'stream reader disconnected',
    );
    this.detach();
    this.sink.destroy();
  }

  private detach(): void {
    this.mode = 'closed';
    this.clearBuffer();
  }
}

/** Returns whether the log is invalid (one of its entries, or the type of a key), so that a retry cannot succeed. */
function isInvalidLog(error: unknown): boolean {
  return error instanceof InvalidFrameError || (error as Error).message.startsWith('WRONGTYPE');
}
