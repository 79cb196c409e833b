import { EntityResolver } from '@app/database';
import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { environmentNotFound } from './environment.errors.js';
import { EnvironmentRepository } from './environment.repository.js';

@Injectable()
export class EnvironmentResolver extends EntityResolver {
  override readonly kind = 'environment';

  constructor(
    private readonly environments: EnvironmentRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async resolveId(scope: Scope, idOrName: string): Promise<string> {
    const found = (await this.environments.findNamed(scope, [idOrName])).get(idOrName);
    if (found === undefined) throw environmentNotFound();
    return found.id;
  }

  override async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.environments.findNamed(scope, ids);
    return new Map([...found].map(([id, { name }]) => [id, name]));
  }

  override async markUpdated(scope: Scope, idOrName: string): Promise<string> {
    const id = await this.resolveId(scope, idOrName);
    if (!(await this.environments.update(scope, id, { updated_at: this.clock.now() }))) throw environmentNotFound();
    return id;
  }
}
