import { DomainError, grants, type Caller, type Scope } from '@app/kernel';
import { unknownPolicies } from './project.errors.js';

/**
 * Checks the policies that projects and contexts name. libs/domains/policies implements it, because policies depend on both
 * domains: the named policies apply to members of projects and to entities that inherit a context. There is no default:
 * a process that writes projects or contexts and provides no look-up does not start.
 */
export abstract class PolicyLookup {
  /** Returns the ids that name a policy. These policies cannot be deleted until the caller's transaction ends. */
  abstract lockExisting(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * Checks a change of `policy_ids`, in the transaction that stores it. Adding or removing a policy has the effect of
   * an association, so it requires the same scope: throws `insufficient_scope` without `admin`. Throws `invalid` that
   * names the index of each unknown policy. Does nothing if the list does not change.
   */
  async checkChange(caller: Caller, before: readonly string[], after: readonly string[]): Promise<void> {
    if (after.length === before.length && after.every((id, index) => id === before[index])) return;
    if (!grants(caller, 'admin')) {
      throw new DomainError(
        'insufficient_scope',
        'This key lacks the required scope: admin. A change of policy_ids needs it',
      );
    }
    if (after.length === 0) return;
    const known = await this.lockExisting(caller, after);
    if (after.some((id) => !known.has(id))) throw unknownPolicies(after, known);
  }
}
