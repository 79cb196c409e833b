import { invalid, type JsonObject } from '@app/kernel';
import { parseEventId, type EventId } from './event-id.js';
import { judge } from './log-cursor.js';
import { EVENT_TYPE_MAX_LENGTH, EVENT_TYPE_PATTERN, type NewEvent } from './event-types.js';

/** Types whose data is the line itself, with the timestamp beside it, instead of `{"data":…,"timestamp":…}`. */
const FLAT_TYPES: ReadonlySet<string> = new Set(['message', 'status', 'error', 'done']);

/** An event of the log as it travels: encoded once, by the process that published it, and shared by all its readers. */
export interface EventFrame {
  readonly id: EventId;
  readonly type: string;
  /** The whole frame, from `id: ` to the blank line. */
  readonly bytes: Buffer;
}

/**
 * Why the events after a position can not be given: `expired`: they are no longer kept; `unknown_event_id`: the log has
 * no such event.
 */
export type GapReason = 'expired' | 'unknown_event_id';

/** The lines of a frame after its `id` line. A type that holds a line break is refused. */
export function encodeFrameBody(event: NewEvent & { readonly timestamp: string }): string {
  const { event_type: type, data, timestamp } = event;
  if (type === '' || [...type].length > EVENT_TYPE_MAX_LENGTH || !EVENT_TYPE_PATTERN.test(type)) {
    const msg = 'An event type is 1 to 100 characters, none of them a line break or NUL';
    throw invalid([{ loc: ['body', 'event_type'], msg, type: 'value_error' }]);
  }
  const line = FLAT_TYPES.has(type) ? flatten(data, timestamp) : { data, timestamp };
  return `event: ${type}\ndata: ${toLine(line)}\n\n`;
}

/**
 * JSON that is one line to every reader: many clients (Python's `splitlines` among them) also break lines at characters
 * that JSON leaves as they are.
 */
function toLine(data: JsonObject): string {
  return JSON.stringify(data).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A timestamp of the data's own is the more exact one. */
function flatten(data: JsonObject, timestamp: string): JsonObject {
  return Object.hasOwn(data, 'timestamp') ? data : { ...data, timestamp };
}

/**
 * A frame the stream itself says (connected, history, gap_detected, …). It is no event of the log and has no `id` line,
 * so a client's last event id stays at the last event of the log it has seen, from where it can resume.
 */
export function encodeOwnFrame(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${toLine(data)}\n\n`;
}

/** Tells a reader that events after `lastKnownId` are missing, or that nothing is known of that id. */
export function gapFrame(lastKnownId: string | null, reason: GapReason): string {
  return encodeOwnFrame('gap_detected', { last_known_id: lastKnownId, reason });
}

export const KEEPALIVE = ': keepalive\n\n';

const LINE_FEED = 10;
const ID = 'id: '.length;
const EVENT = 'event: '.length;

/** What should be a frame of the log is none: reading it again will not help. */
export class UnreadableFrame extends Error {
  constructor(executionId: string) {
    super(`The log of execution ${executionId} holds what is no frame`);
    this.name = 'UnreadableFrame';
  }
}

/** Reads the head of a frame of the log; throws UnreadableFrame on anything else. */
export function readFrame(executionId: string, bytes: Buffer): EventFrame {
  const idEnd = bytes.indexOf(LINE_FEED, ID);
  const typeEnd = bytes.indexOf(LINE_FEED, idEnd + 1);
  const id = idEnd < 0 ? null : parseEventId(executionId, bytes.toString('latin1', ID, idEnd));
  if (id === null || typeEnd < 0) throw new UnreadableFrame(executionId);
  return { id, type: bytes.toString('utf8', idEnd + 1 + EVENT, typeEnd), bytes };
}

/** Events of one execution that arrived together, in the order of the log, with their bytes joined once for all readers. */
export interface FrameBatch {
  readonly frames: readonly EventFrame[];
  readonly bytes: Buffer;
  readonly first: EventFrame;
  readonly last: EventFrame;
  /** Each event is the direct successor of the one before it. */
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
      (frame, index) => index === 0 || judge(frames[index - 1]?.id ?? 'oldest', frame.id) === 'next',
    ),
    hasDone: frames.some((frame) => frame.type === 'done'),
  };
}
