import { InheritanceService, NO_INHERITANCE, orderVariableLayers } from '@app/context';
import { RunnableSources, type AssembledRunnable, type LeasedExecution } from '@app/executions';
import type { JsonObject, Scope } from '@app/kernel';
import { MCP_SKILL_TYPE, type ResolvedSkill } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { contextOfRun } from './run-context.js';
import { RunEnvironments } from './run-environments.service.js';
import { RunModels } from './run-models.service.js';
import { SharedReads } from './shared-reads.js';
import type { AssembledRun, UnstartableRun } from './run.types.js';

/** Reads what the run of a leased execution needs from the domains that own the data. */
@Injectable()
export class RunAssembler {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: RunEnvironments,
    private readonly models: RunModels,
    private readonly inheritance: InheritanceService,
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
    const resolved = await this.environments.resolve(scope, layers, {
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
      reads.once('environment', () => this.environments.ofEnvironment(scope, environmentId)),
    ]);
    if (runnable === undefined) return undefined;
    const inheritance = runnable === null ? NO_INHERITANCE : this.inheritance.ofRun(scope, runnable);
    const [owners, model, { defaults, skills, context }] = await Promise.all([
      runnable === null ? [] : this.runnables.ownersOf(scope, runnable),
      this.models.of(scope, runnable, inheritance),
      inheritance,
    ]);
    const ofSkills = { mcp_servers: mcpServersOf(skills) };
    const inherited = orderVariableLayers({
      ofEnvironments: [environment],
      ofProjects: defaults.environments.map((layer) => layer.environment),
      ofRunnables: [...owners, runnable].map((layer) => layer?.execution_environment),
    });
    const layers = [ofSkills, ...inherited].filter((layer) => layer !== undefined);
    return { runnable, model, layers, skills, context: contextOfRun(context, runnable) };
  }

  /** Returns undefined if the runnable does not exist; null if the execution names none, or one of a kind without a source. */
  private async findRunnable(
    scope: Scope,
    { execution }: LeasedExecution,
  ): Promise<AssembledRunnable | null | undefined> {
    const { execution_type: kind, entity_id: id } = execution;
    return id === null || !this.runnables.has(kind) ? null : this.runnables.assemble(scope, { kind, id });
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
