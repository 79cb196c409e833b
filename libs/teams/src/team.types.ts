import type { Agent, ExecuteAgent } from '@app/agents';
import type { JsonObject, Patch } from '@app/kernel';

export const TEAM_STATUSES = ['active', 'inactive', 'archived', 'idle'] as const;
export type TeamStatus = (typeof TEAM_STATUSES)[number];

/** What a client may say of a team. */
export interface TeamFields {
  /** Not unique. */
  readonly name: string;
  readonly description: string | null;
  readonly status: TeamStatus;
  /**
   * Kept as it came, keys nobody here knows included. Its `member_ids` are the client's own note: who is a member, the
   * agents say (their `team_id`). Instructions it does not have are empty ones.
   */
  readonly configuration: JsonObject;
  /** Of the team's leader. */
  readonly runtime: string | null;
  readonly skill_ids: string[];
  readonly execution_environment: JsonObject;
}

export interface StoredTeam extends TeamFields {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface Team extends StoredTeam {
  /** Its members, oldest first. */
  readonly agents: readonly Agent[];
}

export type CreateTeam = Pick<TeamFields, 'name'> & Patch<Omit<TeamFields, 'name' | 'status'>>;
export type UpdateTeam = Patch<TeamFields>;

export interface TeamFilter {
  readonly status?: TeamStatus;
}

/** What the start of a run must know of a team. */
export interface RunnableTeam extends Pick<StoredTeam, 'id' | 'name'> {
  /** Those of its members: a team has none of its own. */
  readonly environment_ids: readonly string[];
}

/** What is wanted of a team is what can be wanted of an agent. */
export type ExecuteTeam = ExecuteAgent;
