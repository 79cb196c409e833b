import type { JsonObject, Scope } from '@app/kernel';

/** One execution. Its id alone names nothing: ids are unique within an organisation only. */
export interface ExecutionRef extends Scope {
  readonly executionId: string;
}

/** The event types the platform's own workers and clients know. The set is open: others are stored and streamed too. */
export const KNOWN_EVENT_TYPES = [
  'run_started',
  'message',
  'message_chunk',
  'member_message_chunk',
  'member_message_complete',
  'tool_started',
  'tool_completed',
  'member_tool_started',
  'member_tool_completed',
  'thinking_start',
  'thinking_delta',
  'thinking_complete',
  'status',
  'error',
  'done',
  'metadata',
] as const;

/** An event as its publisher says it. */
export interface NewEvent {
  /** 1 to `EVENT_TYPE_MAX_LENGTH` characters that match `EVENT_TYPE_PATTERN`. */
  readonly event_type: string;
  readonly data: JsonObject;
  /** Sent on as it came; absent means now. */
  readonly timestamp?: string;
  /**
   * Names the event within its execution: published again under the same name, it is the event that is there. The last
   * 512 names are known, as long as the events are kept.
   */
  readonly once?: string;
  /** Of what was asked for under that name: with another one it is another event, and refused. Absent: not compared. */
  readonly digest?: string;
}

export interface PublishedEvent {
  /** `{execution_id}_{counter}_{unix_micros}`; the counter is gapless per execution. */
  readonly event_id: string;
  readonly execution_id: string;
  readonly event_type: string;
  /** It was there already, under its name. */
  readonly repeated: boolean;
}

/** A line break or NUL in a type would let its publisher write lines of its own into every reader's stream. */
export const EVENT_TYPE_PATTERN = /^[^\r\n\x00]*$/;
export const EVENT_TYPE_MAX_LENGTH = 100;
