import type { JsonObject } from '@app/kernel';

/** The conversation of an execution, as its worker last stored it. Messages are kept as they came. */
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
