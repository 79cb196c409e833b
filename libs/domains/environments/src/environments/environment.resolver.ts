import { EntityResolver } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { environmentNotFound } from './environment.errors.js';
import { EnvironmentRepository } from './environment.repository.js';

@Injectable()
export class EnvironmentResolver extends EntityResolver {
  override readonly kind = 'environment';

  constructor(private readonly environments: EnvironmentRepository) {
    super();
  }

  override async resolveId(scope: Scope, idOrName: string): Promise<string> {
    const found = (await this.environments.findNamed(scope, [idOrName])).get(idOrName);
    if (found === undefined) throw environmentNotFound();
    return found.id;
  }
}
