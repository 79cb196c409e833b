import { isJsonObject, type JsonObject } from '@app/kernel';

type Notify = (notice: string) => void;

/** Adds a notice if a start sets `multitask` and its execution belongs to no session. */
export function notifyIdleMultitask(
  { multitask }: { readonly multitask?: unknown },
  { session_id }: { readonly session_id: string | null },
  notify: Notify,
): void {
  if (isGiven(multitask) && session_id === null) {
    notify('multitask has no effect: the execution belongs to no session');
  }
}

/** Adds a notice if the configuration of a team sets `multitask` for a session that it does not name. */
export function notifyIdleTeamSession({ configuration }: { readonly configuration: JsonObject }, notify: Notify): void {
  const { session } = configuration;
  if (isJsonObject(session) && isGiven(session['multitask']) && !isGiven(session['session_id'])) {
    notify('multitask of configuration.session has no effect without its session_id');
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
