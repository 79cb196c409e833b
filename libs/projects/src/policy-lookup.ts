import type { Scope } from '@app/kernel';

/**
 * Checks the policies that projects name. The policies implement it: they depend on projects, because those of a project
 * apply to its members. There is no default: a process that writes projects and provides no look-up does not boot.
 */
export abstract class PolicyLookup {
  /** Returns the ids that name a policy. These policies cannot be deleted until the caller's transaction ends. */
  abstract lockExisting(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>>;
}
