import { Clock, type Scope } from '@app/kernel';
import { SkillHolder } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { environmentNotFound } from './environment.errors.js';
import { EnvironmentRepository } from './environment.repository.js';
import { EnvironmentResolver } from './environment.resolver.js';

@Injectable()
export class EnvironmentSkillHolder extends SkillHolder {
  override readonly kind = 'environment';

  constructor(
    private readonly environments: EnvironmentRepository,
    private readonly resolver: EnvironmentResolver,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async markUpdated(scope: Scope, idOrName: string): Promise<string> {
    const id = await this.resolver.resolveId(scope, idOrName);
    if (!(await this.environments.update(scope, id, { updated_at: this.clock.now() }))) throw environmentNotFound();
    return id;
  }

  override async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.environments.findNamed(scope, ids);
    return new Map([...found].map(([id, { name }]) => [id, name]));
  }
}
