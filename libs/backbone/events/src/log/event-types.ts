import type { JsonObject, Scope } from '@app/kernel';
import { EVENT_SHAPES, type EventShape } from './event-shapes.js';

/** Reference to one execution. Execution ids are unique only within their organization. */
export interface ExecutionRef extends Scope {
  readonly executionId: string;
}

/**
 * Event types that the workers and clients of the platform use. Other types are allowed: they are stored and streamed
 * as well.
 */
export const KNOWN_EVENT_TYPES: readonly string[] = Object.entries<EventShape>(EVENT_SHAPES).flatMap(
  ([type, { form }]) => (form === 'frame' ? [] : [type]),
);

/** An event to publish. */
export interface NewEvent {
  /** 1 to `EVENT_TYPE_MAX_LENGTH` characters that match `EVENT_TYPE_PATTERN`. */
  readonly event_type: string;
  readonly data: JsonObject;
  /** Forwarded unchanged; default: now. */
  readonly timestamp?: string;
  /**
   * Makes the publish idempotent within its execution: a second publish with the same key returns the existing event.
   * The keys of the last 512 events are kept, for an hour after the newest event with a key.
   */
  readonly dedupeKey?: string;
  /** Digest of the event. The same `dedupeKey` with another digest is rejected. Absent: not compared. */
  readonly digest?: string;
}

export interface PublishedEvent {
  /** `{execution_id}_{counter}_{unix_micros}`; the counter is gapless per execution. */
  readonly event_id: string;
  readonly execution_id: string;
  readonly event_type: string;
  /** Whether an event with this dedupe key existed already. */
  readonly repeated: boolean;
}

/** An event of the log. `data`, `timestamp` and `json` throw InvalidFrameError if its entry in the log is invalid. */
export interface LoggedEvent {
  /** `{execution_id}_{counter}_{unix_micros}` */
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  /**
   * The timestamp with which the event was published: of flat data, the `timestamp` inside it; if that is not a text,
   * `logged_at`.
   */
  readonly timestamp: string;
  /**
   * `{"data":…,"timestamp":…}` as text. Costs less than encoding the two fields, because most entries of the log
   * contain this text.
   */
  readonly json: string;
  /** When the event was appended to the log. */
  readonly logged_at: Date;
}

/** A line break or NUL in a type would let a publisher inject lines into the streams of all readers. */
export const EVENT_TYPE_PATTERN = /^[^\r\n\x00]*$/;
export const EVENT_TYPE_MAX_LENGTH = 100;
