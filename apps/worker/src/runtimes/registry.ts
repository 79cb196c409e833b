import type { Lease } from '../lease.js';
import { RuntimeFailure, type Runtime } from './runtime.js';

/** The runtimes of this worker, by name. */
export class RuntimeRegistry {
  private readonly runtimes: ReadonlyMap<string, Runtime>;

  constructor(runtimes: readonly Runtime[]) {
    this.runtimes = new Map(runtimes.map((runtime) => [runtime.name, runtime]));
  }

  /** The runtime for a lease, or a failure that says why none fits. */
  for(lease: Lease): Runtime {
    if (lease.kind === 'none') throw new RuntimeFailure('There is nothing to run: the execution names no agent');
    const runtime = this.runtimes.get(lease.agent.runtime);
    if (lease.kind !== 'agent') {
      throw new RuntimeFailure(`The runtime ${lease.agent.runtime} of this worker does not run ${lease.kind}s`);
    }
    if (runtime === undefined) {
      const offered = [...this.runtimes.keys()].join(', ');
      throw new RuntimeFailure(`This worker has no runtime ${lease.agent.runtime}; it has: ${offered}`);
    }
    return runtime;
  }
}
