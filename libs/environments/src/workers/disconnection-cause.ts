import type { DisconnectedWorker } from './worker.types.js';

/** A process that ended because it was asked to: of itself, or by SIGINT or SIGTERM (128 and the signal's number). */
const ASKED_TO_END: readonly (number | null)[] = [null, 0, 130, 143];

/** Whether a worker died rather than stopped, as far as what it said itself tells. */
export function hasCrashed(said: Pick<DisconnectedWorker, 'reason' | 'exit_code' | 'error_message'>): boolean {
  return !ASKED_TO_END.includes(said.exit_code) || said.error_message !== null || /crash|error/i.test(said.reason);
}
