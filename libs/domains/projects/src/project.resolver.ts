import { EntityResolver } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ProjectService } from './project.service.js';

@Injectable()
export class ProjectResolver extends EntityResolver {
  override readonly kind = 'project';

  constructor(private readonly projects: ProjectService) {
    super();
  }

  override async resolveId(scope: Scope, id: string): Promise<string> {
    return (await this.projects.read(scope, id)).id;
  }
}
