import type { ChangedBy, JsonObject, Patch } from '@app/kernel';

export const AGENT_STATUSES = ['idle', 'running', 'paused', 'completed', 'failed', 'stopped'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

/** The fields a client can set. */
export interface AgentFields {
  /** Not unique. */
  readonly name: string;
  readonly description: string | null;
  readonly system_prompt: string | null;
  readonly capabilities: string[];
  readonly configuration: JsonObject;
  /** Id or value of a model; looked up when the agent runs. */
  readonly model_id: string | null;
  readonly llm_config: JsonObject;
  readonly runtime: string | null;
  /** The team of which the agent is a member and from which it inherits. The team need not exist. */
  readonly team_id: string | null;
  readonly environment_ids: string[];
  readonly execution_environment: JsonObject;
  readonly status: AgentStatus;
}

export interface Agent extends AgentFields, ChangedBy {
  readonly id: string;
  readonly organization_id: string;
  readonly state: JsonObject;
  /** Start of the newest run, or of a run at most a second before it. */
  readonly last_active_at: Date | null;
  readonly error_message: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Row of a new agent, without its organization. */
export type NewAgent = Omit<Agent, 'organization_id'>;
/** Ids of the agent's skills, stored as its associations. */
interface AgentSkills {
  readonly skill_ids?: readonly string[];
}
export type CreateAgent = Pick<AgentFields, 'name'> & Patch<Omit<AgentFields, 'name' | 'status'>> & AgentSkills;
/** Who changed an agent, and when; part of every update. */
export type AgentStamp = ChangedBy & Pick<Agent, 'updated_at'>;
export type AgentChanges = Patch<AgentFields> & AgentStamp;
export type UpdateAgent = Patch<AgentFields> & AgentSkills;

export interface AgentFilter {
  readonly name?: string;
  readonly status?: AgentStatus;
}

/** A team and its listed members. An agent is a member if its `team_id` is this team or if `memberIds` has its id. */
export interface TeamRoster {
  readonly id: string;
  readonly memberIds: readonly string[];
}

/** The columns of a member that decide whether a worker may choose its team. */
export type RosterMember = Pick<Agent, 'id' | 'team_id' | 'environment_ids' | 'capabilities'>;

/** The columns that the start of a run reads. */
export type RunnableAgent = ChangedBy &
  Pick<Agent, 'id' | 'name' | 'team_id' | 'environment_ids' | 'last_active_at' | 'runtime' | 'updated_at'>;
