import type { ChangedBy, JsonObject, Patch } from '@app/kernel';

export const TEAM_STATUSES = ['active', 'inactive', 'archived', 'idle'] as const;
export type TeamStatus = (typeof TEAM_STATUSES)[number];

/** The fields a client can set. */
export interface TeamFields {
  /** Not unique. */
  readonly name: string;
  readonly description: string | null;
  readonly status: TeamStatus;
  /** Stored unchanged, including unknown keys and ids in `member_ids` that name no agent. */
  readonly configuration: JsonObject;
  /** Runtime of the team's leader. */
  readonly runtime: string | null;
  /** Ids or names of the team's own environments, preferred ones first. They need not exist. */
  readonly environment_ids: string[];
  readonly execution_environment: JsonObject;
}

export interface Team extends TeamFields, ChangedBy {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A team that a worker may choose, if the team and its members may run in the environment of the worker. */
export interface CandidateTeam extends Pick<Team, 'id' | 'name' | 'description'> {
  readonly rank: number;
  readonly used_at: Date;
}

/** Row of a new team, without its organization. */
export type NewTeam = Omit<Team, 'organization_id'>;
/** Ids of the team's skills, stored as its associations. */
interface TeamSkills {
  readonly skill_ids?: readonly string[];
}
export type CreateTeam = Pick<TeamFields, 'name'> & Patch<Omit<TeamFields, 'name' | 'status'>> & TeamSkills;
/** The fields that an update writes. */
export type TeamChanges = Patch<TeamFields> & ChangedBy & Pick<Team, 'updated_at'>;
export type UpdateTeam = Patch<TeamFields> & TeamSkills;

/** What the start of a run reads. `configuration` has `member_ids` only. */
export type RunnableTeam = ChangedBy &
  Pick<Team, 'id' | 'name' | 'environment_ids' | 'runtime' | 'configuration' | 'updated_at'>;

export interface TeamFilter {
  readonly name?: string;
  readonly status?: TeamStatus;
}
