import { RequestedRunService } from '@app/agents';
import type { Execution } from '@app/executions';
import type { Caller } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { teamNotFound } from './team.errors.js';
import { TeamService } from './team.service.js';
import type { ExecuteTeam } from './team.types.js';

@Injectable()
export class TeamRunService {
  constructor(
    private readonly teams: TeamService,
    private readonly runs: RequestedRunService,
  ) {}

  async execute(caller: Caller, id: string, request: ExecuteTeam): Promise<Execution> {
    const team = await this.teams.findRunnable(caller, id);
    if (team === undefined) throw teamNotFound();
    return this.runs.start(caller, { type: 'team', ...team }, request);
  }
}
