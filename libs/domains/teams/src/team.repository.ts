import { Database, statementOf } from '@app/database';
import { findIdsNamed, type CandidateQuery } from '@app/executions';
import { withoutUndefined, type JsonObject, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { TeamEntity } from './team.entity.js';
import { FIND_CANDIDATE_TEAMS, FIND_RUNNABLE_TEAMS, FIND_TEAM, FIND_TEAMS } from './team.sql.js';
import type { CandidateTeam, NewTeam, RunnableTeam, Team, TeamChanges, TeamFilter } from './team.types.js';

const FIND_IDS_NAMED = findIdsNamed('teams');

@Injectable()
export class TeamRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, team: NewTeam): Promise<Team> {
    return this.database.insert(TeamEntity, { ...team, organization_id: organizationId });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, { name, status }: TeamFilter, page: Page): Promise<PageResult<Team>> {
    const query = this.database
      .select(TeamEntity, 'team', { ...withoutUndefined({ name, status }), organization_id: organizationId })
      .orderBy('team.created_at', 'DESC');
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<Team | undefined> {
    const [team] = await this.database.shared<Team & object>(FIND_TEAM, [organizationId, id]);
    return team;
  }

  /** Returns the existing teams of these ids, in any order. Throws `conflict` if they are too large. */
  async findAll({ organizationId }: Scope, ids: readonly string[]): Promise<Team[]> {
    return this.database.boundedSet<Team & object>('The teams of the run', FIND_TEAMS, [organizationId, ids]);
  }

  /** Returns the existing teams of these ids, in any order. Throws `conflict` if they are too large. */
  async findRunnables({ organizationId }: Scope, ids: readonly string[]): Promise<RunnableTeam[]> {
    const found = await this.database.boundedSet<
      Omit<RunnableTeam, 'configuration'> & Pick<JsonObject, 'member_ids' | 'session'>
    >('The teams', FIND_RUNNABLE_TEAMS, [organizationId, ids]);
    return found.map(({ member_ids, session, ...team }) => ({ ...team, configuration: { member_ids, session } }));
  }

  /** Throws `invalid` if the teams exceed the size limit of a page. */
  async findByIds({ organizationId }: Scope, ids: readonly string[]): Promise<Team[]> {
    const query = this.database.select(TeamEntity, 'team', { organization_id: organizationId, id: Any(ids) });
    return this.database.boundedRows<Team>(ids.length, statementOf(query));
  }

  /** Returns, by word, the ids of the teams with this id or name; see `RunnableSource.idsNamed`. */
  async idsNamed({ organizationId }: Scope, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = await this.database.prepared<{ word: string; ids: string[] }>(FIND_IDS_NAMED, [
      organizationId,
      words,
    ]);
    return new Map(found.map(({ word, ids }) => [word, ids]));
  }

  async namesOf({ organizationId }: Scope, ids: readonly string[]): Promise<Pick<Team, 'id' | 'name'>[]> {
    return this.database.repository(TeamEntity).find({
      select: { id: true, name: true },
      where: { organization_id: organizationId, id: Any(ids) },
    });
  }

  /** Returns the teams that a worker may choose if their members may run. The best matches are first. */
  async findCandidates(
    { organizationId }: Scope,
    { excluded, runtimes, words, only }: CandidateQuery,
  ): Promise<CandidateTeam[]> {
    const teams = excluded.flatMap(({ kind, id }) => (kind === 'team' ? [id] : []));
    const values = [organizationId, teams, words, only?.id ?? null, runtimes];
    return this.database.boundedSet<CandidateTeam>('The teams', FIND_CANDIDATE_TEAMS, values);
  }

  /** Locks the team until the transaction ends: until then, no other transaction deletes it or changes its members. */
  async update({ organizationId }: Scope, id: string, changes: TeamChanges): Promise<Team | undefined> {
    return this.database.update(TeamEntity, { id, organization_id: organizationId }, changes);
  }

  /** Locks the team and writes what `changesOf` returns for it, in one transaction. */
  async change(
    { organizationId }: Scope,
    id: string,
    changesOf: (before: Team) => TeamChanges,
  ): Promise<Team | undefined> {
    const where = { id, organization_id: organizationId };
    return this.database.transaction(async () => {
      const before = await this.database.lockOne(TeamEntity, where);
      return before && this.database.update(TeamEntity, where, changesOf(before));
    });
  }

  /** Returns false if there is no such team. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(TeamEntity, { id, organization_id: organizationId });
  }
}
