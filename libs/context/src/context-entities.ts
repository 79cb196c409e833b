import { EnvironmentService } from '@app/environments';
import { RunnableSources } from '@app/executions';
import { parseEntityTypeOrPlural, type EntityRef, type Scope } from '@app/kernel';
import { ProjectService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import { environmentNotFound } from './context.errors.js';

const ENTITY_TYPES = ['environment', 'team', 'project', 'agent'] as const;

/** Finds the entities that have a context of their own. */
@Injectable()
export class ContextEntities {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly projects: ProjectService,
  ) {}

  /**
   * Finds an entity by its type, in singular or plural, and its id; an environment also by its name. Throws
   * `not_found`.
   */
  async find(scope: Scope, word: string, idOrName: string): Promise<EntityRef> {
    const type = parseEntityTypeOrPlural(word, ENTITY_TYPES);
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
