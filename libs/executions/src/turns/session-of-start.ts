import { isJsonObject, type Fault, type JsonObject } from '@app/kernel';
import { runLimitFaults } from '../executions/run-limits.js';
import type { CreateExecution } from '../executions/execution.types.js';

/** What a start does while another execution of its session has not ended: wait, be refused, or run beside it. */
export const MULTITASK = ['enqueue', 'reject', 'parallel'] as const;
export type Multitask = (typeof MULTITASK)[number];

/** The keys of a configuration that concern the session of its runs. */
export const SESSION_KEYS = { session_id: true, multitask: true } as const;

/** Longer ids name no session: no request could name them. */
export const MAX_SESSION_ID_LENGTH = 255;

/** The session of a user. The same id names another session for each user. */
export interface SessionKey {
  readonly organizationId: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** The session that the runs of a runnable continue if their starts name none. */
export interface RunnableSession {
  readonly sessionId: string;
  /** The only user whose runs continue it; null: all users. */
  readonly userId: string | null;
  readonly multitask: Multitask | null;
}

/** A turn that a start asks for. */
export interface RequestedTurn {
  readonly sessionId: string;
  readonly userId: string;
  readonly multitask: Multitask;
}

/** Returns the turn that a start asks for; null without a session, and for executions of no user, which share nothing. */
export function turnOf({ user: { userId }, config = {}, session }: CreateExecution): RequestedTurn | null {
  if (userId === null) return null;
  const isForUser = session !== undefined && (session.userId === null || session.userId === userId);
  const ofRunnable = isForUser ? session : undefined;
  const sessionId = sessionIdIn(config['session_id']) ?? ofRunnable?.sessionId ?? null;
  if (sessionId === null) return null;
  const multitask = multitaskIn(config['multitask']) ?? ofRunnable?.multitask ?? 'enqueue';
  return { sessionId, userId, multitask };
}

/** Returns the session that a configuration names. Configurations are stored as sent. */
export function sessionIn(session: unknown): RunnableSession | undefined {
  if (!isJsonObject(session)) return undefined;
  const sessionId = sessionIdIn(session['session_id']);
  const { user_id: user } = session;
  const userId = typeof user === 'string' && user !== '' ? user : null;
  return sessionId === null ? undefined : { sessionId, userId, multitask: multitaskIn(session['multitask']) };
}

/**
 * Returns the faults of the configuration of a job or a start. `field`: the request field that contains the configuration.
 */
export function startConfigFaults(config: unknown, field: string): Fault[] {
  return [...runLimitFaults(config, field), ...multitaskFaults(config, field)];
}

/** Returns the fault of `multitask` in a configuration. */
function multitaskFaults(config: unknown, field: string): Fault[] {
  if (!isJsonObject(config)) return [];
  const { multitask } = config as JsonObject;
  if (multitask == null || multitaskIn(multitask) !== null) return [];
  const msg = "Input should be 'enqueue', 'reject' or 'parallel'";
  return [{ path: [field, 'multitask'], msg, type: 'enum' }];
}

function sessionIdIn(value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || value.length > MAX_SESSION_ID_LENGTH) return null;
  // The driver writes half of a surrogate pair in the same way.
  return value.replace(/\p{Surrogate}/gu, '\ufffd');
}

function multitaskIn(value: unknown): Multitask | null {
  return MULTITASK.find((known) => known === value) ?? null;
}
