import { PeriodicTasks } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { PolicyAssociationRepository, type AssociatedEntity } from './policy-association.repository.js';
import { PolicySubjects } from './policy-subjects.js';
import { ENTITY_TYPES } from '../policies/policy.types.js';

/** Entities per query. */
const BATCH_SIZE = 500;

/** Deletes the associations of deleted entities. They no longer apply, but lists and counts still include them. */
@Injectable()
export class PolicyAssociationSweepTask {
  constructor(
    private readonly associations: PolicyAssociationRepository,
    private readonly subjects: PolicySubjects,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Cron(CronExpression.EVERY_MINUTE, { name: 'policies.sweep_associations', waitForCompletion: true })
  async schedule(): Promise<void> {
    await this.tasks.run('policies.sweep_associations', (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    let last: AssociatedEntity | undefined;
    do {
      const batch = await this.associations.listEntitiesAfter(last, BATCH_SIZE);
      for (const group of byOrganization(batch)) await this.deleteOrphaned(group);
      last = batch.length < BATCH_SIZE ? undefined : batch.at(-1);
    } while (last !== undefined && !signal.aborted);
  }

  private async deleteOrphaned([organizationId, entities]: readonly [
    string,
    readonly AssociatedEntity[],
  ]): Promise<void> {
    const scope = { organizationId };
    for (const type of ENTITY_TYPES) {
      const ids = entities.filter(({ entity_type }) => entity_type === type).map(({ entity_id }) => entity_id);
      if (ids.length === 0) continue;
      const existing = await this.subjects.filterExisting(scope, type, ids);
      const deleted = ids.filter((id) => !existing.has(id));
      if (deleted.length > 0) await this.associations.deleteByEntities(scope, type, deleted);
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
