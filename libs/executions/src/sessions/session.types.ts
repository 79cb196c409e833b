import type { JsonObject } from '@app/kernel';

/** Each reading of a conversation reads all of it, so it has an end: more are neither stored nor sent into it. */
export const MAX_SESSION_MESSAGES = 10_000;
/** The same for the bytes of what was sent and not yet stored. What a worker stores is bounded by what a request may hold. */
export const MAX_SENT_BYTES = 10 * 1_048_576;

/** The conversation of an execution: what its worker stored, then what was sent since. Messages are kept as they came. */
export interface ExecutionSession {
  readonly execution_id: string;
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly messages: readonly JsonObject[];
  readonly metadata: JsonObject;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface SaveSession {
  readonly session_id?: string | null;
  readonly user_id?: string | null;
  readonly messages?: readonly JsonObject[];
  readonly metadata?: JsonObject;
}

export interface SendMessage {
  readonly message: string;
  /** Default: user. */
  readonly role?: string;
}

/** A message as it was sent into an execution. */
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
