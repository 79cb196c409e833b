import type { Lease } from '../control-plane/lease.js';
import { RuntimeFailure, type Runtime, type RuntimeFinder } from './runtime.js';

/** The runtimes of this worker, by name. */
export class RuntimeRegistry implements RuntimeFinder {
  private readonly runtimes: ReadonlyMap<string, Runtime>;

  /**
   * `composites` run teams and workflows: they use this registry to find the runtimes of the agents and teams that they
   * call.
   */
  constructor(
    runtimes: readonly Runtime[],
    private readonly composites: Readonly<Record<'team' | 'workflow', Runtime>>,
  ) {
    this.runtimes = new Map(runtimes.map((runtime) => [runtime.name, runtime]));
  }

  get names(): string[] {
    return [...this.runtimes.keys()];
  }

  /** Returns the runtime for a lease. Throws a RuntimeFailure if this worker has none for it. */
  for(lease: Lease): Runtime {
    if (lease.kind === 'none') throw new RuntimeFailure('The execution has no agent to run');
    if (lease.kind !== 'agent') return this.composites[lease.kind];
    const runtime = this.runtimes.get(lease.agent.runtime);
    if (runtime === undefined) {
      throw new RuntimeFailure(
        `This worker has no runtime ${lease.agent.runtime}; available runtimes: ${this.names.join(', ')} (setting WORKER_RUNTIMES)`,
      );
    }
    return runtime;
  }
}
