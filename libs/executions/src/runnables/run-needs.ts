import type { EntityRef } from '@app/kernel';
import type { Runnable } from './runnable-source.js';

/** What a run needs of its worker. */
interface RunNeeds {
  /** The runtime without which it cannot begin; null: any worker can begin it. */
  readonly runtime: string | null;
  /** The runtimes of everything that it may call, its own included. */
  readonly runtimes: readonly string[];
  /** The entities whose skills it may have. */
  readonly skillHolders: readonly EntityRef[];
}

/** Returns the ids of the runtimes of the runnables and of what they may call, each once. */
export function runtimesOf(runnables: readonly Runnable[]): readonly string[] {
  const named = runnables.flatMap(({ runtime, calledRuntimes = [] }) => [runtime, ...calledRuntimes]);
  return [...new Set(named.filter((runtime) => runtime !== undefined))];
}

/**
 * Returns what runs of the runnable need. What a run calls does not have to run on every worker: a step can be skipped, and
 * a failure of a member is only an answer to its leader.
 */
export function runNeedsOf(runnable: Runnable): RunNeeds {
  const { kind, id, callable = [], memberOf, environmentIds } = runnable;
  const called = callable.flatMap((entity_id) =>
    (['agent', 'team'] as const).map((entity_type) => ({ entity_type, entity_id })),
  );
  return {
    runtime: runnable.runtime ?? null,
    runtimes: runtimesOf([runnable]),
    skillHolders: [
      { entity_type: kind, entity_id: id },
      ...memberOf.map((owner) => ({ entity_type: owner.kind, entity_id: owner.id })),
      ...environmentIds.map((entity_id) => ({ entity_type: 'environment', entity_id })),
      ...called,
    ],
  };
}
