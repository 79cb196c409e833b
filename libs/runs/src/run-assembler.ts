import { ModelGatewayConfig } from '@app/config';
import { InheritanceService, NO_INHERITANCE, orderVariableLayers, type InheritedByRun } from '@app/context';
import { EnvironmentService } from '@app/environments';
import { RunnableSources, type AssembledRunnable, type LeasedExecution } from '@app/executions';
import { DomainError, type JsonObject, type Scope } from '@app/kernel';
import { ModelService } from '@app/models';
import { MCP_SKILL_TYPE, type ResolvedSkill } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { RunEnvironments } from './run-environments.service.js';
import { SharedReads } from './shared-reads.js';
import type { AssembledRun, UnstartableRun, RunModel } from './run.types.js';

/** Reads what the run of a leased execution needs from the domains that own the data. */
@Injectable()
export class RunAssembler {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly runEnvironments: RunEnvironments,
    private readonly models: ModelService,
    private readonly inheritance: InheritanceService,
    private readonly gateway: ModelGatewayConfig,
  ) {}

  /** `reads` are shared by the runs of one poll: they have the same scope and environment, often the same runnable too. */
  async assemble(
    scope: Scope,
    lease: LeasedExecution,
    environmentId: string,
    reads = new SharedReads(),
  ): Promise<AssembledRun | UnstartableRun> {
    const { execution } = lease;
    const name = `${execution.execution_type} ${execution.entity_id}`;
    const common = await reads.once(name, () => this.readCommon(scope, lease, environmentId, reads));
    if (common === undefined) return { lease, reason: `The ${name} does not exist any more` };
    const { layers, ...parts } = common;
    const resolved = await this.runEnvironments.resolve(scope, layers, {
      environment: execution.execution_environment,
      mayOverride: execution.may_override_environment,
    });
    if ('failure' in resolved) return { lease, reason: resolved.failure };
    return { lease, ...parts, environment: resolved.environment };
  }

  /** Returns what all runs of the runnable have in common; undefined if it does not exist. */
  private async readCommon(
    scope: Scope,
    lease: LeasedExecution,
    environmentId: string,
    reads: SharedReads,
  ): Promise<CommonParts | undefined> {
    const [runnable, environment] = await Promise.all([
      this.findRunnable(scope, lease),
      reads.once('environment', () => this.environments.executionEnvironmentOf(scope, environmentId)),
    ]);
    if (runnable === undefined) return undefined;
    const inheritance = runnable === null ? NO_INHERITANCE : this.inheritance.ofRun(scope, runnable);
    const [owners, model, { defaults, skills, context }] = await Promise.all([
      runnable === null ? [] : this.runnables.ownersOf(scope, runnable),
      this.findModelOf(scope, runnable, inheritance),
      inheritance,
    ]);
    const ofSkills = { mcp_servers: mcpServersOf(skills) };
    const inherited = orderVariableLayers({
      ofEnvironments: [environment],
      ofProjects: defaults.environments.map((layer) => layer.environment),
      ofRunnables: [...owners, runnable].map((layer) => layer?.execution_environment),
    });
    const layers = [ofSkills, ...inherited].filter((layer) => layer !== undefined);
    return { runnable, model, layers, skills, context };
  }

  /** Returns undefined if the runnable does not exist; null if the execution names none, or one of a kind without a source. */
  private async findRunnable(
    scope: Scope,
    { execution }: LeasedExecution,
  ): Promise<AssembledRunnable | null | undefined> {
    const { execution_type: kind, entity_id: id } = execution;
    return id === null || !this.runnables.has(kind) ? null : this.runnables.assemble(scope, { kind, id });
  }

  /** The model of the runnable precedes that of its projects, which precedes the default model. */
  private async findModelOf(
    scope: Scope,
    runnable: AssembledRunnable | null,
    inheritance: InheritedByRun | Promise<InheritedByRun>,
  ): Promise<RunModel | null> {
    const own = runnable?.model ?? null;
    if (own !== null) return this.findModel(scope, own);
    // Read together, because few projects name a model.
    const [{ defaults }, byDefault] = await Promise.all([
      inheritance,
      this.findModel(scope, this.gateway.defaultModel),
    ]);
    return defaults.model === null ? byDefault : this.findModel(scope, defaults.model);
  }

  /** Returns the default model for null. A name that is neither stored nor listed by the gateway is used as a value. */
  private async findModel(scope: Scope, idOrValue: string | null): Promise<RunModel | null> {
    if (idOrValue === null) return this.models.readDefault(scope).catch(nullIfNotFound);
    return (await this.models.read(scope, idOrValue).catch(nullIfNotFound)) ?? { value: idOrValue };
  }
}

interface CommonParts extends Omit<AssembledRun, 'lease' | 'environment'> {
  /** Execution environments, each overrides those before it. */
  readonly layers: readonly JsonObject[];
}

/** The configuration of a skill of this type is an MCP server with the name of the skill. */
function mcpServersOf(skills: readonly ResolvedSkill[]): JsonObject {
  const servers = skills.filter(({ type }) => type === MCP_SKILL_TYPE);
  return Object.fromEntries(servers.map(({ name, configuration }) => [name, configuration]));
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof DomainError && error.kind === 'not_found') return null;
  throw error;
}
