import { isFinal, type ExecutionStatus } from '../executions/execution-state.js';
import type { Attempt, AttemptOutcome, LedgerEntry, Transition } from './timeline.types.js';

/**
 * Returns the changes of status and attempt. Omits entries that only concern a lease and, if the beginning of the ledger
 * is missing, a first entry that keeps the status.
 */
export function transitionsOf(entries: readonly LedgerEntry[]): Transition[] {
  let attempt = entries[0]?.attempt;
  return entries.flatMap((entry): Transition[] => {
    const isSame = entry.from_status === entry.to_status && entry.attempt === attempt;
    ({ attempt } = entry);
    if (isSame) return [];
    const actor = { kind: entry.actor_kind, id: entry.actor_id, name: entry.actor_name };
    return [{ at: entry.at, from: entry.from_status, to: entry.to_status, attempt, actor, reason: entry.reason }];
  });
}

/**
 * Returns the attempts, oldest first. An attempt begins when it is queued or waits to be queued, and ends with its lease or with the
 * execution.
 */
export function attemptsOf(entries: readonly LedgerEntry[]): Attempt[] {
  const ended: Attempt[] = [];
  let current: Attempt | undefined;
  for (const entry of entries) {
    const { at, from_status: from, to_status: to, lease } = entry;
    if (lease === 'acquired') {
      const { actor_id: worker_id, actor_name: worker_name } = entry;
      current = { ...(current ?? waiting(entry)), leased_at: at, worker_id, worker_name, outcome: 'running' };
      continue;
    }
    const outcome = outcomeOf(entry, current);
    if (current !== undefined && outcome !== undefined) {
      const error_message = outcome === 'failed' || outcome === 'lease_expired' ? entry.reason : null;
      ended.push({ ...current, ended_at: at, outcome, error_message });
      current = undefined;
    }
    // No attempt begins with any other status: an execution that fails at its start has none.
    if (current === undefined && to === 'pending') current = waiting(entry);
    // Another execution of its session has ended.
    if (current?.queued_at === null && to === 'pending' && entry.queued_at !== null) {
      current = { ...current, queued_at: entry.queued_at, was_held: true };
    }
    if (current !== undefined && from === 'pending' && to === 'running') {
      current = { ...current, started_at: at, outcome: 'running' };
    }
  }
  return current === undefined ? ended : [...ended, current];
}

function waiting({ attempt, queued_at }: LedgerEntry): Attempt {
  const none = { leased_at: null, started_at: null, ended_at: null, worker_id: null, worker_name: null };
  return { attempt, queued_at, ...none, outcome: null, error_message: null, was_held: false };
}

/** Returns how the entry ends the current attempt; undefined if it does not end it. */
function outcomeOf(
  { lease, to_status: to, attempt }: LedgerEntry,
  current: Attempt | undefined,
): AttemptOutcome | undefined {
  if (lease === 'expired') return 'lease_expired';
  if (lease === 'handed_back') return 'handed_back';
  if (isFinal(to)) return FINAL_OUTCOMES[to];
  // A failure that is retried.
  return current !== undefined && attempt > current.attempt ? 'failed' : undefined;
}

const FINAL_OUTCOMES: Partial<Record<ExecutionStatus, AttemptOutcome>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  terminated: 'failed',
};
