import { AgentService, type Agent } from '@app/agents';
import { ModelGatewayConfig } from '@app/config';
import { EnvironmentService, resolveVariables, type Environment } from '@app/environments';
import type { LeasedExecution } from '@app/executions';
import { DomainError, type Scope } from '@app/kernel';
import { ModelService, type Model } from '@app/models';
import { Injectable } from '@nestjs/common';

/** A lease with everything a worker needs for its run, as it is at the moment of leasing. */
export interface AssembledLease {
  readonly lease: LeasedExecution;
  /** `null` for an execution without an agent. */
  readonly agent: Agent | null;
  readonly model: LeaseModel | null;
  readonly variables: Readonly<Record<string, string>>;
}

/** A stored model, or one that is known by its value only. */
export type LeaseModel = Model | { readonly value: string };

/** The run can not begin: what it is a run of has gone since it was started. */
export interface LostLease {
  readonly lease: LeasedExecution;
  readonly missing: string;
}

/** Brings together what several domains know of one leased execution. */
@Injectable()
export class LeaseAssembler {
  constructor(
    private readonly agents: AgentService,
    private readonly environments: EnvironmentService,
    private readonly models: ModelService,
    private readonly gateway: ModelGatewayConfig,
  ) {}

  async assemble(scope: Scope, lease: LeasedExecution, environmentId: string): Promise<AssembledLease | LostLease> {
    const { execution } = lease;
    const [agent, environment] = await Promise.all([
      this.findAgent(scope, lease),
      this.environments.read(scope, environmentId).catch(nullWhenMissing),
    ]);
    if (agent === undefined) return { lease, missing: `The ${execution.execution_type} ${execution.entity_id}` };
    const model = await this.findModel(scope, agent);
    return { lease, agent, model, variables: variablesOf(environment, agent, lease) };
  }

  /** `undefined` when there was an agent and it has gone. */
  private async findAgent(scope: Scope, { execution }: LeasedExecution): Promise<Agent | null | undefined> {
    if (execution.execution_type !== 'agent' || execution.entity_id === null) return null;
    return (await this.agents.read(scope, execution.entity_id).catch(nullWhenMissing)) ?? undefined;
  }

  /** What the agent names (its model, else that of its settings), else the configured default, else the stored one. */
  private async findModel(scope: Scope, agent: Agent | null): Promise<LeaseModel | null> {
    const named = agent === null ? null : (agent.model_id ?? modelOfSettings(agent));
    const wanted = named ?? this.gateway.defaultModel;
    if (wanted === null) return this.models.readDefault(scope).catch(nullWhenMissing);
    return (await this.models.read(scope, wanted).catch(nullWhenMissing)) ?? { value: wanted };
  }
}

function modelOfSettings({ llm_config: { model } }: Agent): string | null {
  return typeof model === 'string' && model !== '' ? model : null;
}

function variablesOf(
  environment: Environment | null,
  agent: Agent | null,
  { execution }: LeasedExecution,
): Record<string, string> {
  const owners = [environment, agent, execution].filter((owner) => owner !== null);
  return resolveVariables(owners.map((owner) => owner.execution_environment));
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof DomainError && error.kind === 'not_found') return null;
  throw error;
}
