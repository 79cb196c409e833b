import type { Caller, Scope } from '@app/kernel';
import { SkillHolder } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { AgentService } from './agent.service.js';
import { AgentSource } from './agent.source.js';

@Injectable()
export class AgentSkillHolder extends SkillHolder {
  override readonly kind = 'agent';

  constructor(
    private readonly agents: AgentService,
    private readonly source: AgentSource,
  ) {
    super();
  }

  override async markUpdated(caller: Caller, id: string): Promise<string> {
    return (await this.agents.update(caller, id, {})).id;
  }

  override async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.source.namesOf(scope, ids);
  }
}
