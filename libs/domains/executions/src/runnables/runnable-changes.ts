import { toWireTime, type ChangedBy, type JsonObject } from '@app/kernel';
import type { ExecutionUser } from '../executions/execution.types.js';
import type { Runnable, RunnableChange, RunnableRef } from './runnable-source.js';

export function changeOf(
  { kind, id }: RunnableRef,
  { updated_by, updated_by_email, updated_at: at }: ChangedBy & { readonly updated_at: Date },
): RunnableChange {
  return { kind, id, updated_by, updated_by_email, at };
}

/**
 * Returns, for the metadata of a run, the newest change of what it runs by a user other than the one for whom it runs;
 * empty if there is none. Changes by unknown users are left out.
 */
export function foreignChangeIn(
  { changes }: Pick<Runnable, 'changes'>,
  user: Pick<ExecutionUser, 'userId'>,
): JsonObject {
  const foreign = changes.filter(({ updated_by: by }) => by !== null && by !== user.userId);
  const [newest] = foreign.sort((one, other) => other.at.getTime() - one.at.getTime());
  if (newest === undefined) return {};
  return {
    entity_changed_by: newest.updated_by,
    entity_changed_by_email: newest.updated_by_email,
    entity_changed_at: toWireTime(newest.at),
    entity_changed_type: newest.kind,
    entity_changed_id: newest.id,
  };
}
