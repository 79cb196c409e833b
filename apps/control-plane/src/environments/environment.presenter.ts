import type { Environment } from '@app/environments';
import { mapPage } from '@app/http';
import { getRequired, type Caller, type PageResult } from '@app/kernel';
import { SkillAssociationService } from '@app/skills';
import { Injectable } from '@nestjs/common';
import type { EnvironmentResponse } from './dto/environment.response.dto.js';
import { toEnvironmentResponse } from './environment.mapper.js';

/** Composes environment responses with their skills, with one look-up for any number of environments. */
@Injectable()
export class EnvironmentPresenter {
  constructor(private readonly skills: SkillAssociationService) {}

  async one(caller: Caller, environment: Environment): Promise<EnvironmentResponse> {
    const skills = await this.skills.byEntityIds(caller, 'environment', [environment.id]);
    return toEnvironmentResponse(environment, getRequired(skills, environment.id), caller);
  }

  async page(caller: Caller, listed: PageResult<Environment>): Promise<PageResult<EnvironmentResponse>> {
    const ids = listed.items.map(({ id }) => id);
    const skills = await this.skills.byEntityIds(caller, 'environment', ids);
    return mapPage(listed, (item) => toEnvironmentResponse(item, getRequired(skills, item.id), caller));
  }
}
