import { invalid, isJsonObject, parseExactJson, type JsonObject } from '@app/kernel';
import { formatEventId, parseEventId, type EventId } from './event-id.js';
import { EVENT_SHAPES, type EventShape } from './event-shapes.js';
import { comparePosition } from './log-cursor.js';
import { EVENT_TYPE_MAX_LENGTH, EVENT_TYPE_PATTERN, type LoggedEvent, type NewEvent } from './event-types.js';

/** Types whose frame contains the data itself with `timestamp` added, instead of `{"data":…,"timestamp":…}`. */
const FLAT_TYPES: ReadonlySet<string> = new Set(
  Object.entries<EventShape>(EVENT_SHAPES).flatMap(([type, { form }]) => (form === 'flat' ? [type] : [])),
);

/** An encoded event of the log. The publishing process encodes it once; all readers share the bytes. */
export interface EventFrame {
  readonly id: EventId;
  readonly type: string;
  /** The whole frame, from `id: ` to the blank line. */
  readonly bytes: Buffer;
}

/**
 * Why the events after a position cannot be read. `expired`: they are no longer kept; `unknown_event_id`: the log never
 * had an event with this id.
 */
export type GapReason = 'expired' | 'unknown_event_id';

/**
 * Returns the lines of a frame after its `id` line. Throws `invalid` for a type with a line break or a wrong length.
 */
export function encodeFrameBody(event: NewEvent & { readonly timestamp: string }): string {
  const { event_type: type, data, timestamp } = event;
  if (type === '' || [...type].length > EVENT_TYPE_MAX_LENGTH || !EVENT_TYPE_PATTERN.test(type)) {
    const msg = 'An event type is 1 to 100 characters, none of them a line break or NUL';
    throw invalid([{ path: ['event_type'], msg, type: 'value_error' }]);
  }
  const line = FLAT_TYPES.has(type) ? flatten(data, timestamp) : { data, timestamp };
  return `event: ${type}\ndata: ${toLine(line)}\n\n`;
}

/**
 * Returns JSON that every client reads as a single line. Many clients (with Python's `splitlines`, for example) also
 * break lines at Unicode separators, which JSON does not escape.
 */
function toLine(data: JsonObject): string {
  return JSON.stringify(data).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A `timestamp` inside the data takes precedence, because it is closer to the time of the event. */
function flatten(data: JsonObject, timestamp: string): JsonObject {
  return Object.hasOwn(data, 'timestamp') ? data : { ...data, timestamp };
}

/**
 * Encodes a frame that the stream itself creates (connected, history, gap_detected, …). It has no `id` line, so the
 * last event id of a client always refers to an event of the log, after which the stream can resume.
 */
export function encodeStreamFrame(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${toLine(data)}\n\n`;
}

/** Returns the frame which reports that events after `lastKnownId` are missing, or that this id is unknown. */
export function gapFrame(lastKnownId: string | null, reason: GapReason): string {
  return encodeStreamFrame('gap_detected', { last_known_id: lastKnownId, reason });
}

export const KEEPALIVE = ': keepalive\n\n';

const LINE_FEED = 10;
const ID = 'id: '.length;
const EVENT = 'event: '.length;
const BLANK_LINE = Buffer.from('\n\n');

/** The log contains an entry that is not a frame. Reading it again cannot succeed. */
export class InvalidFrameError extends Error {
  constructor(executionId: string) {
    super(`The event log of execution ${executionId} contains an invalid frame`);
    this.name = 'InvalidFrameError';
  }
}

/** Parses id and type of a frame of the log. Throws InvalidFrameError for anything else. */
export function readFrame(executionId: string, bytes: Buffer): EventFrame {
  const idEnd = bytes.indexOf(LINE_FEED, ID);
  const typeEnd = bytes.indexOf(LINE_FEED, idEnd + 1);
  const id = idEnd < 0 ? null : parseEventId(executionId, bytes.toString('latin1', ID, idEnd));
  if (id === null || typeEnd < 0) throw new InvalidFrameError(executionId);
  return { id, type: bytes.toString('utf8', idEnd + 1 + EVENT, typeEnd), bytes };
}

/** Like `readFrame`; returns null for anything else. */
export function tryReadFrame(executionId: string, bytes: Buffer): EventFrame | null {
  try {
    return readFrame(executionId, bytes);
  } catch (error) {
    if (error instanceof InvalidFrameError) return null;
    throw error;
  }
}

/** Returns the event of a frame of the log. Its data is decoded when it is first accessed. */
export function readEvent(executionId: string, frame: EventFrame): LoggedEvent {
  return new FramedEvent(executionId, frame);
}

const DATA = '\ndata: ';

/** Accessing the content throws InvalidFrameError if the last line is not what `encodeFrameBody` writes. */
class FramedEvent implements LoggedEvent {
  readonly id: string;
  readonly type: string;
  readonly logged_at: Date;
  private decoded: Pick<LoggedEvent, 'data' | 'timestamp'> | undefined;

  constructor(
    private readonly executionId: string,
    private readonly frame: EventFrame,
  ) {
    this.id = formatEventId(executionId, frame.id);
    this.type = frame.type;
    this.logged_at = new Date(frame.id.micros / 1000);
  }

  get data(): JsonObject {
    return this.content.data;
  }

  get timestamp(): string {
    return this.content.timestamp;
  }

  get json(): string {
    return FLAT_TYPES.has(this.type) ? JSON.stringify(this.content) : this.line;
  }

  private get line(): string {
    const { bytes } = this.frame;
    const start = bytes.indexOf(DATA);
    if (start < 0 || !bytes.subarray(-2).equals(BLANK_LINE)) throw new InvalidFrameError(this.executionId);
    return bytes.toString('utf8', start + DATA.length, bytes.length - BLANK_LINE.length);
  }

  private get content(): Pick<LoggedEvent, 'data' | 'timestamp'> {
    return (this.decoded ??= this.decode());
  }

  /** A publisher chooses the `timestamp` inside flat data: one that is not a text counts as missing. */
  private decode(): Pick<LoggedEvent, 'data' | 'timestamp'> {
    const decoded = parseJson(this.line);
    if (!isJsonObject(decoded)) throw new InvalidFrameError(this.executionId);
    const data = FLAT_TYPES.has(this.type) ? decoded : decoded['data'];
    if (!isJsonObject(data)) throw new InvalidFrameError(this.executionId);
    const { timestamp } = decoded;
    return { data, timestamp: typeof timestamp === 'string' ? timestamp : this.logged_at.toISOString() };
  }
}

/** Returns undefined for a text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** Returns whether accessing the content of an event throws no InvalidFrameError. */
export function isDecodable(event: LoggedEvent): boolean {
  try {
    return isJsonObject(event.data) && event.json !== '';
  } catch (error) {
    if (error instanceof InvalidFrameError) return false;
    throw error;
  }
}

/** Events of one execution that arrived together, in log order. The bytes are concatenated once for all readers. */
export interface FrameBatch {
  readonly frames: readonly EventFrame[];
  readonly bytes: Buffer;
  readonly first: EventFrame;
  readonly last: EventFrame;
  /** Whether each event is the direct successor of the previous one. */
  readonly connected: boolean;
  readonly hasDone: boolean;
}

export function batchOf(frames: readonly [EventFrame, ...EventFrame[]]): FrameBatch {
  const [first] = frames;
  return {
    frames,
    bytes: frames.length === 1 ? first.bytes : Buffer.concat(frames.map((frame) => frame.bytes)),
    first,
    last: frames.at(-1) ?? first,
    connected: frames.every(
      (frame, index) => index === 0 || comparePosition(frames[index - 1]?.id ?? 'oldest', frame.id) === 'next',
    ),
    hasDone: frames.some((frame) => frame.type === 'done'),
  };
}
