import { Database, EntityDependent, EntityDependents } from '@app/database';
import { Clock, type EntityRef, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ContextEntities } from './context-entities.js';
import { EntityContextRepository } from './entity-context.repository.js';
import type { ContextLayer, UpdateContext } from './entity-context.types.js';

const EMPTY = { knowledge_uuids: [], resource_ids: [], policy_ids: [] };

/** The contexts of single entities. Every entity has one; it is empty until it is set, and ends with the entity. */
@Injectable()
export class EntityContextService extends EntityDependent {
  constructor(
    private readonly contexts: EntityContextRepository,
    private readonly entities: ContextEntities,
    private readonly dependents: EntityDependents,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Throws `not_found` for an unknown type or entity, as the other methods do. */
  async read(scope: Scope, type: string, idOrName: string): Promise<ContextLayer> {
    const entity = await this.entities.find(scope, type, idOrName);
    return (await this.contexts.find(scope, entity)) ?? { ...entity, ...EMPTY };
  }

  /** Sets the given lists and keeps the others. */
  async put(scope: Scope, type: string, idOrName: string, lists: UpdateContext): Promise<ContextLayer> {
    const entity = await this.entities.find(scope, type, idOrName);
    return this.database.transaction(async () => {
      await this.dependents.lock(scope, entity);
      await this.entities.find(scope, type, entity.entity_id);
      return this.contexts.put(scope, entity, lists, this.clock.now());
    });
  }

  /** Empties the context. Idempotent. Returns the id of the entity. */
  async delete(scope: Scope, type: string, idOrName: string): Promise<string> {
    const entity = await this.entities.find(scope, type, idOrName);
    await this.contexts.delete(scope, entity);
    return entity.entity_id;
  }

  override async removeOf(scope: Scope, entity: EntityRef): Promise<void> {
    await this.contexts.delete(scope, entity);
  }
}
