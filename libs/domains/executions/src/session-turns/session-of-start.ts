import { isJsonObject, type Fault } from '@app/kernel';
import { runLimitFaults } from '../executions/run-limits.js';
import type { CreateExecution } from '../executions/execution.types.js';
import { MULTITASK, type Multitask, type RequestedTurn, type RunnableSession } from './turn.types.js';

/** The keys of a configuration that concern the session of its runs. */
export const SESSION_KEYS = { session_id: true, multitask: true } as const;

/** Longer ids name no session: no request could name them. */
const MAX_SESSION_ID_LENGTH = 255;

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
  const { multitask } = config;
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
