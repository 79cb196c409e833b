import { EnvironmentService } from '@app/environments';
import { RunnableSources } from '@app/executions';
import { Clock, type Scope } from '@app/kernel';
import { ProjectService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { contextEntityTypeNotFound, environmentNotFound } from './context.errors.js';
import { EntityContextRepository } from './entity-context.repository.js';
import type { ContextLayer, UpdateContext } from './entity-context.types.js';
import type { EntityRef } from './layers.js';

const EMPTY = { knowledge_uuids: [], resource_ids: [], policy_ids: [] };
const ENTITY_TYPES = ['environment', 'team', 'project', 'agent'] as const;

/** The contexts of single entities. Every entity has one; it is empty until it is set. */
@Injectable()
export class EntityContextService {
  constructor(
    private readonly contexts: EntityContextRepository,
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly projects: ProjectService,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` for an unknown type or entity, as the other methods do. */
  async read(scope: Scope, type: string, idOrName: string): Promise<ContextLayer> {
    const entity = await this.findEntity(scope, type, idOrName);
    return (await this.contexts.find(scope, entity)) ?? { ...entity, ...EMPTY };
  }

  /** Sets the given lists and keeps the others. */
  async put(scope: Scope, type: string, idOrName: string, lists: UpdateContext): Promise<ContextLayer> {
    return this.contexts.put(scope, await this.findEntity(scope, type, idOrName), lists, this.clock.now());
  }

  /** Empties the context. Idempotent. Returns the id of the entity. */
  async delete(scope: Scope, type: string, idOrName: string): Promise<string> {
    const entity = await this.findEntity(scope, type, idOrName);
    await this.contexts.delete(scope, entity);
    return entity.entity_id;
  }

  private async findEntity(scope: Scope, word: string, idOrName: string): Promise<EntityRef> {
    const type = ENTITY_TYPES.find((one) => word === one || word === `${one}s`);
    if (type === undefined) throw contextEntityTypeNotFound();
    if (type === 'environment') {
      const found = (await this.environments.summaries(scope, [idOrName])).get(idOrName);
      if (found === undefined) throw environmentNotFound();
      return { entity_type: type, entity_id: found.id };
    }
    const owner =
      type === 'project'
        ? this.projects.read(scope, idOrName)
        : this.runnables.read(scope, { kind: type, id: idOrName });
    return { entity_type: type, entity_id: (await owner).id };
  }
}
