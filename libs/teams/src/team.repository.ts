import { Database } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { TeamEntity } from './team.entity.js';
import type { StoredTeam, TeamFilter, UpdateTeam } from './team.types.js';

@Injectable()
export class TeamRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, team: Omit<StoredTeam, 'organization_id'>): Promise<StoredTeam> {
    const row = { ...team, organization_id: scope.organizationId };
    await this.database.insert(TeamEntity, row);
    return row;
  }

  async list(scope: Scope, { status }: TeamFilter, page: Page): Promise<Listed<StoredTeam>> {
    return this.database.list<StoredTeam>(page, {
      columns: '*',
      from: 'teams WHERE organization_id = $1 AND ($2::text IS NULL OR status = $2)',
      order: 'created_at DESC, id DESC',
      values: [scope.organizationId, status ?? null],
    });
  }

  async find(scope: Scope, id: string): Promise<StoredTeam | undefined> {
    return this.database.findOne(TeamEntity, { id, organization_id: scope.organizationId });
  }

  async namesOf(scope: Scope, ids: readonly string[]): Promise<{ readonly id: string; readonly name: string }[]> {
    return this.database.sql('SELECT id, name FROM teams WHERE organization_id = $1 AND id = ANY($2)', [
      scope.organizationId,
      ids,
    ]);
  }

  /** Inside a transaction it also holds the team: nobody deletes it or changes its members meanwhile. */
  async update(
    scope: Scope,
    id: string,
    changes: UpdateTeam & { readonly updated_at: Date },
  ): Promise<StoredTeam | undefined> {
    return this.database.update(TeamEntity, { id, organization_id: scope.organizationId }, changes);
  }

  /** Whether there was such a team. */
  async delete(scope: Scope, id: string): Promise<boolean> {
    const result = await this.database.repository(TeamEntity).delete({ id, organization_id: scope.organizationId });
    return (result.affected ?? 0) > 0;
  }
}
