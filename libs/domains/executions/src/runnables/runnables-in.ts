import { EXECUTION_TYPES } from '../executions/execution.types.js';
import type { RunDefinition } from './run-definition.js';
import type { RunnableRef } from './runnable-source.js';

/** Returns the runnables that the steps run, each once, in their order. */
export function runnablesIn({ steps }: RunDefinition): RunnableRef[] {
  const refs = steps.flatMap(({ type, entity_id: id }) => {
    const kind = EXECUTION_TYPES.find((one) => one === type);
    return kind === undefined || id === null ? [] : [{ kind, id }];
  });
  return [...new Map(refs.map((ref) => [`${ref.kind} ${ref.id}`, ref])).values()];
}
