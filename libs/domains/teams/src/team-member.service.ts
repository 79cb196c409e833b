import { AgentService, agentNotFound, type Agent } from '@app/agents';
import { Database } from '@app/database';
import { changedBy, Clock, type Caller, type Patch, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { memberIdsOf, rosterOf } from './team-members.js';
import { teamNotFound } from './team.errors.js';
import { TeamRepository } from './team.repository.js';
import type { Team, TeamFields } from './team.types.js';

/** The agents of teams. */
@Injectable()
export class TeamMemberService {
  constructor(
    private readonly teams: TeamRepository,
    private readonly agents: AgentService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns the members of each of these teams, each once and oldest first; every team has an entry. */
  async byTeams(scope: Scope, teams: readonly Team[]): Promise<ReadonlyMap<string, readonly Agent[]>> {
    return this.agents.membersOf(scope, teams.map(rosterOf));
  }

  /** Sets the `team_id` of the agent. Idempotent. Returns the team, and the one that the agent left for it. */
  async add(caller: Caller, id: string, agentId: string): Promise<{ readonly team: Team; readonly left?: Team }> {
    let leftId: string | null = null;
    const team = await this.changeMembers(caller, id, async (changed) => {
      leftId = await this.agents.joinTeam(caller, agentId, id);
      return changed;
    });
    const [left] = leftId === null ? [] : await this.teams.findByIds(caller, [leftId]);
    return left === undefined ? { team } : { team, left };
  }

  /** Clears the `team_id` of the agent and removes it from `member_ids`. Throws `not_found` if it is not a member. */
  async remove(caller: Caller, id: string, agentId: string): Promise<Team> {
    return this.changeMembers(caller, id, async (team) => {
      const left = await this.agents.leaveTeam(caller, agentId, id);
      const memberIds = memberIdsOf(team.configuration);
      if (!memberIds.includes(agentId)) {
        if (left) return team;
        throw agentNotFound();
      }
      const member_ids = memberIds.filter((memberId) => memberId !== agentId);
      return this.write(caller, id, { configuration: { ...team.configuration, member_ids } });
    });
  }

  /**
   * The update locks the row of the team until the end of the transaction, so that no agent joins a team that is being
   * deleted.
   */
  private async changeMembers(caller: Caller, id: string, change: (team: Team) => Promise<Team>): Promise<Team> {
    return this.database.transaction(async () => change(await this.write(caller, id, {})));
  }

  private async write(caller: Caller, id: string, changes: Patch<TeamFields>): Promise<Team> {
    const updated = await this.teams.update(caller, id, {
      ...changes,
      ...changedBy(caller),
      updated_at: this.clock.now(),
    });
    if (updated === undefined) throw teamNotFound();
    return updated;
  }
}
