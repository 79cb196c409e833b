import { PeriodicTask } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { PolicyAssociationRepository, type AssociatedEntity } from './policy-association.repository.js';
import { PolicySubjects } from './policy-subjects.js';
import { ENTITY_TYPES } from './policy.types.js';

/** Entities that are looked up at once. */
const BATCH = 500;

/**
 * Drops associations of agents, teams and environments that were deleted. Such an association makes no policy apply to
 * anything, because what is gone is not found; it would only stay in lists and counts.
 */
@Injectable()
export class PolicyAssociationSweepTask extends PeriodicTask {
  override readonly name = 'policies.sweep_associations';
  override readonly intervalMs = 60_000;

  constructor(
    private readonly associations: PolicyAssociationRepository,
    private readonly subjects: PolicySubjects,
  ) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    let last: AssociatedEntity | undefined;
    do {
      const batch = await this.associations.entitiesAfter(last, BATCH);
      for (const group of byOrganization(batch)) await this.dropGone(group);
      last = batch.length < BATCH ? undefined : batch.at(-1);
    } while (last !== undefined && !signal.aborted);
  }

  private async dropGone([organizationId, entities]: readonly [string, readonly AssociatedEntity[]]): Promise<void> {
    const scope = { organizationId };
    for (const type of ENTITY_TYPES) {
      const ids = entities.filter(({ entity_type }) => entity_type === type).map(({ entity_id }) => entity_id);
      if (ids.length === 0) continue;
      const existing = await this.subjects.existing(scope, type, ids);
      const gone = ids.filter((id) => !existing.has(id));
      if (gone.length > 0) await this.associations.deleteOf(scope, type, gone);
    }
  }
}

function byOrganization(entities: readonly AssociatedEntity[]): ReadonlyMap<string, readonly AssociatedEntity[]> {
  const groups = new Map<string, AssociatedEntity[]>();
  for (const entity of entities) {
    const group = groups.get(entity.organization_id);
    if (group === undefined) groups.set(entity.organization_id, [entity]);
    else group.push(entity);
  }
  return groups;
}
