import type { Environment } from '@app/environments';
import { mapPageAsync } from '@app/http';
import { getRequired, type Caller, type PageResult, type Scope } from '@app/kernel';
import { SkillAssociationService, type SkillsOfEntity } from '@app/skills';
import { Injectable } from '@nestjs/common';
import type { EnvironmentResponse } from './dto/environment.response.dto.js';
import { toEnvironmentResponse } from './environment.mapper.js';

/** Composes environment responses with their skills, with one look-up for any number of environments. */
@Injectable()
export class EnvironmentPresenter {
  constructor(private readonly skills: SkillAssociationService) {}

  async one(caller: Caller, environment: Environment): Promise<EnvironmentResponse> {
    const skillsOf = await this.skillsOf(caller, [environment]);
    return toEnvironmentResponse(environment, skillsOf(environment), caller);
  }

  async page(caller: Caller, listed: PageResult<Environment>): Promise<PageResult<EnvironmentResponse>> {
    return mapPageAsync(listed, async (environments) => {
      const skillsOf = await this.skillsOf(caller, environments);
      return environments.map((environment) => toEnvironmentResponse(environment, skillsOf(environment), caller));
    });
  }

  private async skillsOf(
    scope: Scope,
    environments: readonly Environment[],
  ): Promise<(environment: Environment) => SkillsOfEntity> {
    const ids = environments.map(({ id }) => id);
    const skills = await this.skills.byEntityIds(scope, 'environment', ids);
    return ({ id }) => getRequired(skills, id);
  }
}
