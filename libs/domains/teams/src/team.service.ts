import { EntityDependents, EntityUses } from '@app/database';
import {
  changedBy,
  Clock,
  ENVIRONMENT_SECRETS,
  mayHideSecrets,
  newId,
  rejectHiddenSecrets,
  restoreSecrets,
  type Caller,
  type EntityRef,
  type Page,
  type PageResult,
  type Patch,
  type Scope,
} from '@app/kernel';
import { SkillAssociationService } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { teamInUse, teamNotFound } from './team.errors.js';
import { TeamRepository } from './team.repository.js';
import type { CreateTeam, Team, TeamFields, TeamFilter, UpdateTeam } from './team.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<TeamFields, 'name'> = {
  description: null,
  status: 'active',
  configuration: {},
  runtime: null,
  environment_ids: [],
  execution_environment: {},
};

@Injectable()
export class TeamService {
  constructor(
    private readonly teams: TeamRepository,
    private readonly dependents: EntityDependents,
    private readonly skills: SkillAssociationService,
    private readonly uses: EntityUses,
    private readonly clock: Clock,
  ) {}

  /** Throws `invalid` that names the index of each unknown skill. */
  async create(caller: Caller, { skill_ids, ...fields }: CreateTeam): Promise<Team> {
    rejectHiddenSecrets(ENVIRONMENT_SECRETS, fields.execution_environment, ['execution_environment']);
    const now = this.clock.now();
    const team = { ...DEFAULTS, ...fields, id: newId(), created_at: now, ...changedBy(caller), updated_at: now };
    return this.skills.replaceWith(caller, refOf(team.id), skill_ids, () => this.teams.insert(caller, team));
  }

  /** Newest first. */
  async list(scope: Scope, filter: TeamFilter, page: Page): Promise<PageResult<Team>> {
    return this.teams.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Team> {
    const team = await this.teams.find(scope, id);
    if (team === undefined) throw teamNotFound();
    return team;
  }

  /** Returns the existing teams of these ids, by id. */
  async byIds(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Team>> {
    const found = ids.length === 0 ? [] : await this.teams.findByIds(scope, ids);
    return new Map(found.map((team) => [team.id, team]));
  }

  /**
   * Throws `invalid` that names the index of each unknown skill. Hidden secret values keep the stored ones, see
   * `restoreSecrets`.
   */
  async update(caller: Caller, id: string, { skill_ids, ...changes }: UpdateTeam): Promise<Team> {
    return this.skills.replaceWith(caller, refOf(id), skill_ids, async () => {
      const updated = await this.write(caller, id, changes);
      if (updated === undefined) throw teamNotFound();
      return updated;
    });
  }

  private async write(caller: Caller, id: string, fields: Patch<TeamFields>): Promise<Team | undefined> {
    const changes = { ...fields, ...changedBy(caller), updated_at: this.clock.now() };
    const { execution_environment: sent } = fields;
    if (!mayHideSecrets(sent)) return this.teams.update(caller, id, changes);
    return this.teams.change(caller, id, ({ execution_environment: stored }) => ({
      ...changes,
      execution_environment: restoreSecrets(ENVIRONMENT_SECRETS, sent, stored, ['execution_environment']),
    }));
  }

  /**
   * Throws a `conflict` that lists what uses the team. The members remain, without a team, and so do its executions,
   * with a copy of its name.
   */
  async delete(caller: Caller, id: string): Promise<void> {
    const { name } = await this.read(caller, id);
    const meant = (await this.teams.idsNamed(caller, [name])).get(name) ?? [];
    // A name of several teams is ambiguous and refers to none of them.
    const places = await this.uses.describe(caller, 'team', meant.length === 1 ? [id, name] : [id]);
    if (places !== undefined) throw teamInUse(name, places);
    await this.dependents.removeWith(caller, refOf(id), async () => {
      if (!(await this.teams.delete(caller, id))) throw teamNotFound();
    });
  }
}

function refOf(id: string): EntityRef {
  return { entity_type: 'team', entity_id: id };
}
