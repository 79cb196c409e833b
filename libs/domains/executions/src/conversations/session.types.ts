import type { JsonObject } from '@app/kernel';

/**
 * Maximum number of messages of a conversation, stored and sent ones together, because some reads return the whole
 * conversation.
 */
export const MAX_SESSION_MESSAGES = 10_000;
/** Maximum size of the stored messages when messages are appended. */
export const MAX_STORED_BYTES = 10 * 1_048_576;
/**
 * Maximum size of the sent messages that are not stored yet. The size of a list that a worker stores as a whole is
 * limited by that of requests.
 */
export const MAX_SENT_BYTES = 10 * 1_048_576;

/** Maximum length of a `message_id` that is stored; messages with a longer one count as messages without an id. */
export const MAX_MESSAGE_ID_LENGTH = 255;

/**
 * The conversation of an execution: the messages that its worker stored, then those sent since. Messages are stored
 * unchanged.
 */
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
  /** Number and size of the stored messages, with which each write checks the limits. */
  readonly stored_messages: number;
  readonly stored_bytes: string;
}

/** The row of a message that a worker stored. */
export interface StoredMessage {
  readonly organization_id: string;
  readonly execution_id: string;
  /**
   * The order of the messages. A message keeps its position as long as neither it nor a message before it changes. Any
   * other message gets a position above all that the session ever had, so a reader that continues after a position
   * misses no message.
   */
  readonly position: string;
  /**
   * The id of the message; null without one. SQL cannot read it from `message`, because the JSON may contain an
   * unpaired surrogate.
   */
  readonly message_id: string | null;
  readonly message: JsonObject;
  /** The size of `message`. */
  readonly bytes: number;
}

/** The row of a message that was sent to an execution. */
export interface SentMessageRow {
  readonly organization_id: string;
  readonly execution_id: string;
  readonly message_id: string;
  readonly message: JsonObject;
  readonly created_at: Date;
  /** Whether a stored message has the same id; lists then contain only the stored one. */
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
  /** Absent or null keeps the stored session id. */
  readonly session_id?: string | null;
  /** Each has a `message_id`. */
  readonly messages: readonly JsonObject[];
}

/** The conversation that a run receives when it begins or continues. */
export interface Conversation {
  /** Texts of earlier executions of the same session and user, oldest first; without tool calls. */
  readonly earlier_messages: readonly JsonObject[];
  /** The messages that this execution stored, then those sent to it. */
  readonly messages: readonly JsonObject[];
}

export interface SendMessage {
  readonly message: string;
  /** Default: `user`. */
  readonly role?: string;
}

/** A message sent to an execution. */
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
