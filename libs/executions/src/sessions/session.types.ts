import type { JsonObject } from '@app/kernel';

/** Bounds a conversation, stored and sent messages together, because it is always read as a whole. */
export const MAX_SESSION_MESSAGES = 10_000;
/** Bounds the stored messages together with those that are appended to them. */
export const MAX_STORED_BYTES = 10 * 1_048_576;
/** Bounds the sent messages that are not yet stored. The size limit of requests bounds what a worker stores. */
export const MAX_SENT_BYTES = 10 * 1_048_576;

/** Maximum length of a `message_id` that is stored; messages with a longer one count as messages without an id. */
export const MAX_MESSAGE_ID_LENGTH = 255;

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

/** The row of a session, without its messages. */
export interface StoredSession extends Omit<ExecutionSession, 'messages'> {
  readonly organization_id: string;
  /** The highest position that a message of the session ever had; `0`: none. */
  readonly last_position: string;
  /** Number and size of the stored messages: each write needs them, to check the limits. */
  readonly stored_messages: number;
  readonly stored_bytes: string;
}

/** The row of a message that a worker stored. */
export interface StoredMessage {
  readonly organization_id: string;
  readonly execution_id: string;
  /**
   * The order of the messages. A message that is stored again in its place keeps its position; any other gets one above all
   * positions that the session ever had, so a reader after a position misses no message.
   */
  readonly position: string;
  /** The id of a message that has one. SQL cannot read it from `message`: its JSON may contain an unpaired surrogate. */
  readonly message_id: string | null;
  readonly message: JsonObject;
  /** The size of `message`. */
  readonly bytes: number;
}

/** The row of a message that was sent into an execution. */
export interface SentMessageRow {
  readonly organization_id: string;
  readonly execution_id: string;
  readonly message_id: string;
  readonly message: JsonObject;
  readonly created_at: Date;
  /** Whether a stored message has its id; lists then contain only the stored one. */
  readonly is_stored: boolean;
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
