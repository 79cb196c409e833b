import { AgentService } from '@app/agents';
import { ModelGatewayConfig } from '@app/config';
import { EnvironmentService, resolveVariables } from '@app/environments';
import type { LeasedExecution } from '@app/executions';
import { DomainError, isJsonObject, type JsonObject, type Scope } from '@app/kernel';
import { ModelService } from '@app/models';
import { TeamService, type StoredTeam } from '@app/teams';
import { Injectable } from '@nestjs/common';
import type { AssembledRun, LostRun, RunModel } from './run.types.js';

/** Brings together what several domains know of one leased execution. */
@Injectable()
export class RunAssembler {
  constructor(
    private readonly agents: AgentService,
    private readonly teams: TeamService,
    private readonly environments: EnvironmentService,
    private readonly models: ModelService,
    private readonly gateway: ModelGatewayConfig,
  ) {}

  async assemble(scope: Scope, lease: LeasedExecution, environmentId: string): Promise<AssembledRun | LostRun> {
    const { execution } = lease;
    const [runner, environment] = await Promise.all([
      this.findRunner(scope, lease),
      this.environments.executionEnvironmentOf(scope, environmentId),
    ]);
    if (runner === undefined) return { lease, missing: `The ${execution.execution_type} ${execution.entity_id}` };
    const { agent, team, agentsTeam } = runner;
    const model = await this.findModel(scope, runner);
    // Later ones win.
    const owners = [team ?? agentsTeam, agent, execution];
    const layers = [environment, ...owners.map((owner) => owner?.execution_environment)];
    const variables = resolveVariables(layers.filter((layer) => layer !== undefined));
    return { lease, agent, team, model, variables };
  }

  /** `undefined` when what is to be run has gone. */
  private async findRunner(scope: Scope, { execution }: LeasedExecution): Promise<Runner | undefined> {
    const { execution_type: type, entity_id: id } = execution;
    if (id === null || type === 'workflow') return NOBODY;
    if (type === 'team') {
      const team = await this.teams.read(scope, id).catch(nullWhenMissing);
      return team === null ? undefined : { ...NOBODY, team };
    }
    const agent = await this.agents.read(scope, id).catch(nullWhenMissing);
    return agent === null ? undefined : { ...NOBODY, agent, agentsTeam: await this.teams.teamOf(scope, agent) };
  }

  /** The model that is named, else the configured default, else the stored one. */
  private async findModel(scope: Scope, runner: Runner): Promise<RunModel | null> {
    const wanted = modelNamedBy(runner) ?? this.gateway.defaultModel;
    if (wanted === null) return this.models.readDefault(scope).catch(nullWhenMissing);
    return (await this.models.read(scope, wanted).catch(nullWhenMissing)) ?? { value: wanted };
  }
}

/** Who does the run. */
interface Runner extends Pick<AssembledRun, 'agent' | 'team'> {
  /** The team the agent is a member of: its variables are the agent's, too. */
  readonly agentsTeam: StoredTeam | undefined;
}

const NOBODY: Runner = { agent: null, team: null, agentsTeam: undefined };

/** An agent's own model, else that of its settings; a team's is that of its settings, for its leader. */
function modelNamedBy({ agent, team }: Runner): string | null {
  if (agent !== null) return agent.model_id ?? modelOf(agent.llm_config);
  const llm = team?.configuration['llm'];
  return isJsonObject(llm) ? modelOf(llm) : null;
}

function modelOf({ model }: JsonObject): string | null {
  return typeof model === 'string' && model !== '' ? model : null;
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof DomainError && error.kind === 'not_found') return null;
  throw error;
}
