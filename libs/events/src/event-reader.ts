import type { JsonObject } from '@app/kernel';
import { createLogger } from '@app/observability';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeOwnFrame, gapFrame, UnreadableFrame, type EventFrame, type FrameBatch } from './event-frame.js';
import { formatEventId, type EventId } from './event-id.js';
import type { EventLog, LogPage } from './event-log.js';
import type { ExecutionRef } from './event-types.js';
import { judge, samePlace, type LogPosition } from './log-cursor.js';
import type { StreamSink } from './stream-sink.js';

/** Bytes a live reader may lag behind before it is cut off; it resumes by id. */
const MAX_QUEUED_BYTES = 4 * 1_048_576;
/** Bytes of live events kept for a reader that still reads the list; beyond it the list is read again instead. */
const MAX_HELD_BYTES = 1_048_576;
/** Pause between two attempts to read the log while Redis is away. */
const RETRY_MS = 500;

const logger = createLogger('events');

export interface ReaderStart {
  readonly execution: ExecutionRef;
  readonly position: LogPosition;
  /** A `done` event was sent: is the execution final? Answered by `finish`, or not at all. */
  readonly onDone: () => void;
}

/**
 * One reader of one execution's events. It is either catching up (it reads the list page by page, as fast as its
 * connection takes them) or live (events are handed to it as they are published). Whatever it can not prove to be the
 * next event sends it back to catching up, so what it gets has no gap and no duplicate, or says that there is a gap.
 */
export class EventReader {
  private mode: 'catching-up' | 'live' | 'closed' = 'catching-up';
  private position: LogPosition;
  private held: EventFrame[] = [];
  private heldBytes = 0;
  private heldOverflow = false;
  private lastType: string | null = null;
  private final: JsonObject | null = null;
  private running = false;

  constructor(
    private readonly start: ReaderStart,
    private readonly log: Pick<EventLog, 'read'>,
    private readonly sink: StreamSink,
  ) {
    this.position = start.position;
    sink.onClose(() => this.leave());
  }

  get execution(): ExecutionRef {
    return this.start.execution;
  }

  get closed(): boolean {
    return this.mode === 'closed';
  }

  /** Events as they are published, in the order of the log. */
  receive(batch: FrameBatch): void {
    if (this.mode === 'catching-up') return this.hold(batch);
    if (this.mode === 'closed') return;
    if (this.sink.queuedBytes > MAX_QUEUED_BYTES) return this.cut('too slow');
    if (batch.connected && judge(this.position, batch.first.id) === 'next') {
      this.send(batch.bytes, batch.last);
      if (batch.hasDone) this.noteDone();
    } else this.acceptEach(batch.frames);
  }

  /** Reads the list from the present position, then is live. Call it to begin, and when live events may be lost. */
  catchUp(): void {
    if (this.mode === 'live') this.mode = 'catching-up';
    else this.heldOverflow = true;
    if (!this.running) void this.run();
  }

  /** The same where the newest event is not the one this reader has come to. */
  catchUpTo(newest: EventId): void {
    if (this.mode === 'live' && !samePlace(this.position, newest)) this.catchUp();
  }

  /** The execution is final: sends what is left, ends it with a `done` (of the log, else made from `data`), and closes. */
  finish(data: JsonObject): void {
    if (this.final !== null) return;
    this.final = data;
    if (this.mode === 'live' && this.lastType === 'done') this.close();
    else this.catchUp();
  }

  /** Closes in good order; the client may resume by id, here or elsewhere. */
  close(): void {
    if (this.closed) return;
    this.leave();
    this.sink.end();
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      while (this.mode === 'catching-up') {
        const { final } = this;
        this.heldOverflow = false;
        const page = await this.readPage();
        if (page === undefined) return;
        this.deliver(page);
        if (!(await this.sink.drained())) return this.leave();
        if (page.complete) this.settle(final);
      }
    } finally {
      this.running = false;
    }
  }

  /** While Redis is away the reader waits; undefined once it has left, or was cut off from a log that is broken. */
  private async readPage(): Promise<LogPage | undefined> {
    while (!this.closed) {
      try {
        const page = await this.log.read(this.execution, this.position);
        return this.closed ? undefined : page;
      } catch (error) {
        if (isBroken(error)) {
          this.cut((error as Error).message);
          return undefined;
        }
        logger.debug(
          { execution_id: this.execution.executionId, reason: (error as Error).message },
          'event log not readable',
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
    if (frames.some((frame) => frame.type === 'done')) this.noteDone();
  }

  /** All that was in the log when it was last read is sent. `final` is what was known before that read. */
  private settle(final: JsonObject | null): void {
    if (final !== null) return this.finishWith(final);
    if (this.heldOverflow || this.final !== null) return;
    const { held } = this;
    this.dropHeld();
    this.mode = 'live';
    this.acceptEach(held);
  }

  private finishWith(final: JsonObject): void {
    if (this.lastType !== 'done') this.sink.write(encodeOwnFrame('done', final));
    this.close();
  }

  private acceptEach(frames: readonly EventFrame[]): void {
    for (const frame of frames) {
      const verdict = judge(this.position, frame.id);
      if (verdict === 'jump') return this.catchUp();
      if (verdict === 'next') {
        this.send(frame.bytes, frame);
        if (frame.type === 'done') this.noteDone();
      }
    }
  }

  private lastKnownId(): string | null {
    return typeof this.position === 'object' ? formatEventId(this.execution.executionId, this.position) : null;
  }

  /** Anybody may publish a `done`: whether it is the end only the execution's state says. */
  private noteDone(): void {
    if (this.final === null) this.start.onDone();
  }

  private send(bytes: Buffer, last: EventFrame): void {
    this.sink.write(bytes);
    this.position = last.id;
    this.lastType = last.type;
  }

  private hold(batch: FrameBatch): void {
    if (this.heldOverflow) return;
    this.heldBytes += batch.bytes.length;
    if (this.heldBytes <= MAX_HELD_BYTES) this.held.push(...batch.frames);
    else {
      this.dropHeld();
      this.heldOverflow = true;
    }
  }

  private dropHeld(): void {
    this.held = [];
    this.heldBytes = 0;
  }

  private cut(reason: string): void {
    if (this.closed) return;
    const { queuedBytes } = this.sink;
    logger.info({ execution_id: this.execution.executionId, reason, queued_bytes: queuedBytes }, 'reader cut off');
    this.leave();
    this.sink.destroy();
  }

  private leave(): void {
    this.mode = 'closed';
    this.dropHeld();
  }
}

/** Whether the log itself is not what it should be (an entry, or the type of a key): waiting does not mend that. */
function isBroken(error: unknown): boolean {
  return error instanceof UnreadableFrame || (error as Error).message.startsWith('WRONGTYPE');
}
