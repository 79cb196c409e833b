import type { EnvironmentSummary } from '@app/environments';
import type { JsonObject, Patch } from '@app/kernel';

export const AGENT_STATUSES = ['idle', 'running', 'paused', 'completed', 'failed', 'stopped'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

/** What a client may say of an agent. */
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
  /** The team it is a member of: the one place where membership is kept. Not looked up when it is set here. */
  readonly team_id: string | null;
  readonly environment_ids: string[];
  readonly skill_ids: string[];
  readonly execution_environment: JsonObject;
  readonly status: AgentStatus;
}

export interface StoredAgent extends AgentFields {
  readonly id: string;
  readonly organization_id: string;
  readonly state: JsonObject;
  /** When it was last asked to run. */
  readonly last_active_at: Date | null;
  readonly error_message: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface Agent extends StoredAgent {
  /** Those of `environment_ids` that exist, in that order. */
  readonly environments: readonly EnvironmentSummary[];
}

export type CreateAgent = Pick<AgentFields, 'name'> & Patch<Omit<AgentFields, 'name' | 'status'>>;
export type UpdateAgent = Patch<AgentFields>;

export interface AgentFilter {
  readonly status?: AgentStatus;
}

/** What the start of a run must know of an agent: where it belongs, and when it ran before. */
export type RunnableAgent = Pick<StoredAgent, 'id' | 'name' | 'team_id' | 'environment_ids' | 'last_active_at'>;

/** What a run is of. */
export interface Runnable {
  readonly type: 'agent' | 'team';
  readonly id: string;
  readonly name: string;
  /** Where it belongs. */
  readonly environment_ids: readonly string[];
}

/** What is wanted of an agent. */
export interface ExecuteAgent {
  readonly prompt: string;
  /** Id or name; without it a queue of the agent's environments is chosen. */
  readonly worker_queue_id?: string | null;
  readonly system_prompt?: string | null;
  readonly parent_execution_id?: string | null;
  readonly user_metadata?: JsonObject;
  readonly execution_environment?: JsonObject;
}
