import type { Caller, Scope } from '@app/kernel';

/**
 * Access to one kind of entity that can have skills. The domain that owns the kind provides it, together with an
 * `EntityResolver`. `SkillHolders` registers it.
 */
export abstract class SkillHolder {
  abstract readonly kind: string;

  /**
   * Sets `updated_at` of the entity, because its skills are part of it. This locks its row until the transaction ends,
   * so that it cannot be deleted. Returns its id. Throws `not_found`.
   */
  abstract markUpdated(caller: Caller, idOrName: string): Promise<string>;

  /** Returns the names of the entities that exist, by id. */
  abstract namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
