import type { DisconnectedWorker } from './worker.types.js';

/** Exit codes of a planned stop: none, 0, SIGINT and SIGTERM (128 plus the signal number). */
const PLANNED_EXIT_CODES: readonly (number | null)[] = [null, 0, 130, 143];

/** Returns whether the reported disconnection was a crash rather than a planned stop. */
export function hasCrashed(disconnection: Pick<DisconnectedWorker, 'reason' | 'exit_code' | 'error_message'>): boolean {
  return (
    !PLANNED_EXIT_CODES.includes(disconnection.exit_code) ||
    disconnection.error_message !== null ||
    /crash|error/i.test(disconnection.reason)
  );
}
