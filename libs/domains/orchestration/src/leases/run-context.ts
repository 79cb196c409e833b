import type { ContextLists } from '@app/entity-contexts';
import type { AssembledRunnable } from '@app/executions';

/** Returns the context of a run: the inherited one, then the knowledge of the runnable, without duplicates. */
export function contextOfRun(
  inherited: ContextLists,
  runnable: Pick<AssembledRunnable, 'knowledge_uuids'> | null,
): ContextLists {
  const ids = new Set([...inherited.knowledge_uuids, ...(runnable?.knowledge_uuids ?? [])]);
  return { ...inherited, knowledge_uuids: [...ids] };
}
