import { Database, EntityDependent, EntityResolvers } from '@app/database';
import { Clock, parseEntityTypeOrPlural, type Caller, type EntityRef, type Scope } from '@app/kernel';
import { PolicyLookup } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { EntityContextRepository } from './entity-context.repository.js';
import type { ContextLayer, UpdateContext } from './entity-context.types.js';

/** The types of entities that have a context of their own. */
const ENTITY_TYPES = ['environment', 'team', 'project', 'agent'] as const;
const EMPTY = { knowledge_uuids: [], resource_ids: [], policy_ids: [] };

/**
 * The contexts of single entities. Every entity has one. It is empty until it is set, and is deleted with the entity.
 */
@Injectable()
export class EntityContextService extends EntityDependent {
  constructor(
    private readonly contexts: EntityContextRepository,
    private readonly entities: EntityResolvers,
    private readonly policies: PolicyLookup,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  /**
   * `type` is in singular or plural. Throws `not_found` for an unknown type or entity, as the other methods do.
   */
  async read(scope: Scope, type: string, idOrName: string): Promise<ContextLayer> {
    const entity_type = parseEntityTypeOrPlural(type, ENTITY_TYPES);
    const entity = { entity_type, entity_id: await this.entities.resolveId(scope, entity_type, idOrName) };
    return (await this.contexts.find(scope, entity)) ?? { ...entity, ...EMPTY };
  }

  /**
   * Sets the given lists and keeps the others. Changing the list of policies needs the scope `admin`, see
   * `PolicyLookup.checkChange`.
   */
  async put(caller: Caller, type: string, idOrName: string, lists: UpdateContext): Promise<ContextLayer> {
    return this.change(caller, type, idOrName, async (entity, policyIds) => {
      await this.policies.checkChange(caller, policyIds, lists.policy_ids ?? policyIds);
      return this.contexts.put(caller, entity, lists, this.clock.now());
    });
  }

  /**
   * Empties the context, which needs the scope `admin` if the context names policies. Idempotent. Returns the id of the
   * entity.
   */
  async delete(caller: Caller, type: string, idOrName: string): Promise<string> {
    return this.change(caller, type, idOrName, async (entity, policyIds) => {
      await this.policies.checkChange(caller, policyIds, []);
      await this.contexts.delete(caller, entity);
      return entity.entity_id;
    });
  }

  override async removeOf(scope: Scope, entity: EntityRef): Promise<void> {
    await this.contexts.delete(scope, entity);
  }

  /**
   * Locks the entity, then runs `work` with the entity and the policies of its context. Neither can change before the
   * commit.
   */
  private async change<T>(
    scope: Scope,
    type: string,
    idOrName: string,
    work: (entity: EntityRef, policyIds: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const entity_type = parseEntityTypeOrPlural(type, ENTITY_TYPES);
    return this.database.transaction(async () => {
      const entity = { entity_type, entity_id: await this.entities.lock(scope, entity_type, idOrName) };
      return work(entity, (await this.contexts.find(scope, entity))?.policy_ids ?? []);
    });
  }
}
