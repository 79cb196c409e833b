import type { JsonObject } from '@app/kernel';

/** Bounds a conversation, stored and sent messages together, because it is always read as a whole. */
export const MAX_SESSION_MESSAGES = 10_000;
/** Bounds the stored messages together with those that are appended to them. */
export const MAX_STORED_BYTES = 10 * 1_048_576;
/** Bounds the sent messages that are not yet stored. The size limit of requests bounds what a worker stores. */
export const MAX_SENT_BYTES = 10 * 1_048_576;

/** The conversation of an execution: the messages its worker stored, then those sent since. Messages are kept verbatim. */
export interface ExecutionSession {
  readonly execution_id: string;
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly messages: readonly JsonObject[];
  readonly metadata: JsonObject;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The row of a session. */
export interface StoredSession extends ExecutionSession {
  readonly organization_id: string;
  /** Ids of the messages that have one. SQL cannot search `messages`: its JSON may contain an unpaired surrogate. */
  readonly message_ids: readonly string[];
  /**
   * The position of each message, ascending. A message that is stored again in its place keeps its position; any other gets
   * one above all positions that the session ever had, so a reader after a position misses no message.
   */
  readonly message_positions: readonly string[];
  readonly last_position: string;
}

/** The row of a message that was sent into an execution. */
export interface StoredMessage {
  readonly organization_id: string;
  readonly execution_id: string;
  readonly message_id: string;
  readonly message: JsonObject;
  readonly created_at: Date;
}

export interface SaveSession {
  readonly session_id?: string | null;
  readonly user_id?: string | null;
  readonly messages?: readonly JsonObject[];
  readonly metadata?: JsonObject;
}

/** Messages to be stored after those that are stored already. */
export interface AppendMessages {
  /** Absent or null keeps the stored one. */
  readonly session_id?: string | null;
  /** Each has a `message_id`. */
  readonly messages: readonly JsonObject[];
}

/** The conversation that a run receives when it begins or continues. */
export interface Conversation {
  /** Texts of earlier executions of the same session and user, oldest first; without tool calls. */
  readonly earlier_messages: readonly JsonObject[];
  /** The messages that this execution stored, then those sent into it. */
  readonly messages: readonly JsonObject[];
}

export interface SendMessage {
  readonly message: string;
  /** Default: `user`. */
  readonly role?: string;
}

/** A message sent into an execution. */
export interface SentMessage {
  readonly message_id: string;
  readonly role: string;
  readonly content: string;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly user_avatar: string | null;
}
