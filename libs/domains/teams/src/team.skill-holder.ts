import type { Caller, Scope } from '@app/kernel';
import { SkillHolder } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { TeamService } from './team.service.js';
import { TeamSource } from './team.source.js';

@Injectable()
export class TeamSkillHolder extends SkillHolder {
  override readonly kind = 'team';

  constructor(
    private readonly teams: TeamService,
    private readonly source: TeamSource,
  ) {
    super();
  }

  override async markUpdated(caller: Caller, id: string): Promise<string> {
    return (await this.teams.update(caller, id, {})).id;
  }

  override async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.source.namesOf(scope, ids);
  }
}
