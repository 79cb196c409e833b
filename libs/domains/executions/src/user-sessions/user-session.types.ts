import type { JsonObject } from '@app/kernel';
import type { ExecutionStatus } from '../executions/execution-state.js';
import type { ExecutionType } from '../executions/execution.types.js';
import type { RunnableRef } from '../runnables/runnable-source.js';

/** The row of a session: a conversation of one user over any number of executions. */
export interface StoredUserSession {
  readonly organization_id: string;
  readonly id: string;
  readonly user_id: string;
  readonly user_name: string | null;
  /** The id that starts name, unique for the user. */
  readonly session_id: string;
  readonly name: string;
  /** What ran last in the session; null before the first run. */
  readonly execution_type: ExecutionType | null;
  readonly entity_id: string | null;
  readonly entity_name: string | null;
  /** Number of executions that were started in the session, including those that were deleted since. */
  readonly turns: number;
  /** The session whose messages it began with; null if it began without any. */
  readonly forked_from_id: string | null;
  readonly copied_messages: number;
  /** The preview of the newest copied message. */
  readonly copied_preview: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Start or end of its last execution. */
  readonly last_activity_at: Date;
}

/** The row of a message with which a session began. */
export interface CopiedMessage {
  readonly organization_id: string;
  readonly user_session_id: string;
  readonly position: string;
  readonly message_id: string | null;
  /** The execution of the copied session from which it comes; null in rows that are older than this column. */
  readonly execution_id: string | null;
  readonly message: JsonObject;
  readonly bytes: number;
}

export interface SessionMessage {
  /** The execution from which the message comes, also if it was copied; null if it was copied before this was stored. */
  readonly execution_id: string | null;
  readonly message: JsonObject;
}

export interface UserSession extends Omit<StoredUserSession, 'copied_messages' | 'copied_preview'> {
  readonly last_message_preview: string | null;
  /** The first execution that has not ended; null if all have. */
  readonly running_execution_id: string | null;
  readonly running_execution_status: ExecutionStatus | null;
}

/** Absent fields do not restrict. */
export interface UserSessionFilter {
  readonly userId?: string;
  readonly entityId?: string;
  readonly executionType?: ExecutionType;
  /** What ran last is one of these. */
  readonly entities?: readonly RunnableRef[];
  /** A part of the name in any case, or the whole `session_id`. */
  readonly words?: string;
}

/** The size of the messages that a new session received. */
export interface CopiedSize {
  /** Null if the given message does not exist. */
  readonly messages: number | null;
  readonly bytes: number;
}
