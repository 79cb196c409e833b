import type { EntityRef } from '@app/kernel';
import { EXECUTION_TYPES } from '../executions/execution.types.js';
import type { Runnable } from './runnable-source.js';

/** What a run needs of its worker. */
interface RunNeeds {
  /** The runtime without which the run cannot begin; null: any worker can begin it. */
  readonly runtime: string | null;
  /** The runtimes of everything that the run may call, including its own runtime. */
  readonly runtimes: readonly string[];
  /** The entities whose skills the run may have, except for environments. */
  readonly skillHolders: readonly EntityRef[];
  /** Ids or names of the environments whose skills the run has. */
  readonly environmentIds: readonly string[];
}

/** Returns the ids of the runtimes of the runnables and of what they may call, each once. */
export function runtimesOf(runnables: readonly Runnable[]): readonly string[] {
  const named = runnables.flatMap(({ runtime, calledRuntimes = [] }) => [runtime, ...calledRuntimes]);
  return [...new Set(named.filter((runtime) => runtime !== undefined))];
}

/**
 * Returns what runs of the runnable need. The worker does not have to support everything that a run may call: a step
 * can be skipped, and the failure of a member is only reported to the leader of its team.
 */
export function runNeedsOf(runnable: Runnable): RunNeeds {
  const { kind, id, callable = [], memberOf, environmentIds } = runnable;
  // Ids are unique over all kinds, so only the ref of the actual kind finds associations.
  const called = callable.flatMap((entity_id) => EXECUTION_TYPES.map((entity_type) => ({ entity_type, entity_id })));
  return {
    runtime: runnable.runtime ?? null,
    runtimes: runtimesOf([runnable]),
    skillHolders: [
      { entity_type: kind, entity_id: id },
      ...memberOf.map((owner) => ({ entity_type: owner.kind, entity_id: owner.id })),
      ...called,
    ],
    environmentIds,
  };
}
