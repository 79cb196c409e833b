import { Database } from '@app/database';
import type { EntityRef, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { EntityContextEntity } from './entity-context.entity.js';
import { FIND_CONTEXTS, FIND_CONTEXTS_WITH_POLICY, HAS_CONTEXTS, PUT_CONTEXT } from './entity-context.sql.js';
import type { ContextLayer, EntityContext, UpdateContext } from './entity-context.types.js';

@Injectable()
export class EntityContextRepository {
  constructor(private readonly database: Database) {}

  async find({ organizationId }: Scope, { entity_type, entity_id }: EntityRef): Promise<EntityContext | undefined> {
    return this.database.findOne(EntityContextEntity, { organization_id: organizationId, entity_type, entity_id });
  }

  /** Returns the stored contexts of the entities, in no order. Throws `conflict` if they are too large. */
  async findByEntities({ organizationId }: Scope, entities: readonly EntityRef[]): Promise<ContextLayer[]> {
    return this.database.boundedSet<ContextLayer>('The contexts of the layers', FIND_CONTEXTS, [
      organizationId,
      entities.map(({ entity_type }) => entity_type),
      entities.map(({ entity_id }) => entity_id),
    ]);
  }

  async any({ organizationId }: Scope): Promise<{ readonly present: boolean; readonly with_policies: boolean }> {
    const [row] = await this.database.shared<{ present: boolean; with_policies: boolean }>(HAS_CONTEXTS, [
      organizationId,
    ]);
    return row ?? { present: true, with_policies: true };
  }

  /** Returns up to `limit` entities whose contexts name the policy, in a fixed order. */
  async findWithPolicy({ organizationId }: Scope, policyId: string, limit: number): Promise<EntityRef[]> {
    return this.database.sql<EntityRef>(FIND_CONTEXTS_WITH_POLICY, [organizationId, policyId, limit]);
  }

  async put(
    { organizationId }: Scope,
    { entity_type, entity_id }: EntityRef,
    lists: UpdateContext,
    at: Date,
  ): Promise<EntityContext> {
    const given = [lists.knowledge_uuids, lists.resource_ids, lists.policy_ids].map((ids) => ids ?? null);
    const values = [organizationId, entity_type, entity_id, ...given, at];
    const [context] = await this.database.sql<EntityContext>(PUT_CONTEXT, values);
    if (context === undefined) throw new Error('An insert returned no row');
    return context;
  }

  async delete({ organizationId }: Scope, { entity_type, entity_id }: EntityRef): Promise<void> {
    await this.database.delete(EntityContextEntity, { organization_id: organizationId, entity_type, entity_id });
  }
}
