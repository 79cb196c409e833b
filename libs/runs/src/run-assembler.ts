import { InheritanceService, NO_INHERITANCE, orderVariableLayers } from '@app/context';
import {
  RunnableSources,
  timeoutMsOf,
  type AssembledRunnable,
  type DefinedRef,
  type LeasedExecution,
} from '@app/executions';
import type { JsonObject, Scope } from '@app/kernel';
import { MCP_SKILL_TYPE, type ResolvedSkill } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { contextOfRun } from './run-context.js';
import { RunEnvironmentsService } from './run-environments.service.js';
import { RunModelsService } from './run-models.service.js';
import type { SharedReads } from './shared-reads.js';
import type { AssembledCall, AssembledRun, RunModel, UnstartableRun } from './run.types.js';

/** Assembles the run of a leased execution from the domains that own its data. */
@Injectable()
export class RunAssembler {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: RunEnvironmentsService,
    private readonly models: RunModelsService,
    private readonly inheritance: InheritanceService,
  ) {}

  /**
   * `reads` are shared by the runs of one poll, which have the same scope and environment, and often the same runnable.
   */
  async assemble(
    scope: Scope,
    lease: LeasedExecution,
    environmentId: string,
    reads: SharedReads,
  ): Promise<Omit<AssembledRun, 'steps' | 'candidates'> | UnstartableRun> {
    const { execution } = lease;
    const { execution_type: kind, entity_id: id, definition, callable } = execution;
    const place = { environmentId, reads };
    const ref = id === null || !this.runnables.has(kind) ? null : { kind, id, definition, callable };
    const [own, calls, furtherModels] = await Promise.all([
      this.readShared(scope, ref, place),
      this.readCalls(scope, ref, place),
      this.readFurtherModels(scope, ref, reads),
    ]);
    if (own === undefined) return { lease, reason: `The ${kind} ${id} no longer exists` };
    const resolved = await Promise.all([own, ...calls].map((parts) => this.resolve(scope, parts, execution)));
    const failure = resolved.find((one) => 'failure' in one);
    if (failure !== undefined) return { lease, reason: failure.failure };
    const [run, ...called] = resolved.filter((one): one is ResolvedParts => !('failure' in one));
    if (run === undefined) throw new Error('The own parts of the run are missing');
    return { lease, ...run, calls: called.filter(hasRunnable), furtherModels };
  }

  /** Returns undefined if the runnable does not exist. A run without a runnable only has its environment. */
  private readShared(scope: Scope, ref: DefinedRef | null, place: Place): Promise<CommonParts | undefined> {
    return place.reads.once(`parts of ${keyOf(ref)}`, () => this.readCommon(scope, ref, place));
  }

  /** Returns the common parts of each runnable that the run may call. Omits runnables that do not exist. */
  private async readCalls(scope: Scope, ref: DefinedRef | null, place: Place): Promise<readonly CommonParts[]> {
    if (ref === null) return [];
    const key = `members of ${keyOf(ref)} among ${ref.callable?.join() ?? 'all'}`;
    const members = await place.reads.once(key, () => this.runnables.membersOf(scope, ref));
    const parts = await Promise.all(members.map(({ kind, id }) => this.readShared(scope, { kind, id }, place)));
    return parts.filter((one) => one !== undefined);
  }

  private async readFurtherModels(
    scope: Scope,
    ref: DefinedRef | null,
    reads: SharedReads,
  ): Promise<ReadonlyMap<string, RunModel>> {
    const { furtherModels = [] } = (await this.findRunnable(scope, ref, reads)) ?? {};
    const found = await Promise.all(
      furtherModels.map(async (name) => [name, await this.models.named(scope, name)] as const),
    );
    return new Map(found);
  }

  private async resolve(
    scope: Scope,
    { layers, ...parts }: CommonParts,
    execution: LeasedExecution['execution'],
  ): Promise<ResolvedParts | { readonly failure: string }> {
    const unfit = unfitModelOf(parts);
    if (unfit !== undefined) return { failure: unfit };
    const resolved = await this.environments.resolve(scope, layers, {
      environment: execution.execution_environment,
      mayOverride: execution.may_override_environment,
    });
    if ('failure' in resolved) return resolved;
    const timeoutMs = timeoutMsOf(execution.config) ?? parts.runnable?.timeoutMs ?? null;
    return { ...parts, timeoutMs, environment: resolved.environment };
  }

  /** Returns the parts that all runs of the runnable have in common; undefined if the runnable does not exist. */
  private async readCommon(
    scope: Scope,
    ref: DefinedRef | null,
    { environmentId, reads }: Place,
  ): Promise<CommonParts | undefined> {
    const [runnable, environment] = await Promise.all([
      this.findRunnable(scope, ref, reads),
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

  /** Returns undefined if the runnable does not exist; null if the run has none. */
  private async findRunnable(
    scope: Scope,
    ref: DefinedRef | null,
    reads: SharedReads,
  ): Promise<AssembledRunnable | null | undefined> {
    return ref === null ? null : reads.once(keyOf(ref), () => this.runnables.assemble(scope, ref));
  }
}

/** The environment in which a leased execution runs, and the reads that it shares with the other leases of a poll. */
interface Place {
  readonly environmentId: string;
  readonly reads: SharedReads;
}

interface CommonParts extends Pick<AssembledRun, 'runnable' | 'model' | 'skills' | 'context'> {
  /** Execution environments. Each one overrides those before it. */
  readonly layers: readonly JsonObject[];
}

type ResolvedParts = Omit<AssembledCall, 'runnable'> & Pick<AssembledRun, 'runnable'>;

/**
 * Returns why the model that a runnable names cannot be used with its runtime; undefined if it can, or if nothing is
 * known. Only stored models are checked: the models of the gateway are listed with the default runtime if the gateway
 * does not state any. A default model is not checked either, because runtimes other than the default one usually have
 * their own model.
 */
function unfitModelOf({ runnable, model }: Omit<CommonParts, 'layers'>): string | undefined {
  if (runnable?.model == null || runnable.runtime === undefined) return undefined;
  if (model === null || !('source' in model) || model.source !== 'stored') return undefined;
  const { value, compatible_runtimes: runtimes } = model;
  const { kind, id, runtime } = runnable;
  if (runtimes.length === 0 || runtimes.includes(runtime)) return undefined;
  return `The ${kind} ${id} has the runtime ${runtime}, but its model ${value} is compatible only with ${runtimes.join(', ')}`;
}

function keyOf(ref: DefinedRef | null): string {
  if (ref === null) return 'no runnable';
  const { kind, id, definition } = ref;
  return definition == null
    ? `${kind} ${id}`
    : `${kind} ${id} ${definition.version} ${JSON.stringify(definition.steps)}`;
}

function hasRunnable(parts: ResolvedParts): parts is AssembledCall {
  return parts.runnable !== null;
}

/**
 * Returns the MCP servers that skills define: the configuration of such a skill is the server with the name of the
 * skill.
 */
function mcpServersOf(skills: readonly ResolvedSkill[]): JsonObject {
  const servers = skills.filter(({ type }) => type === MCP_SKILL_TYPE);
  return Object.fromEntries(servers.map(({ name, configuration }) => [name, configuration]));
}
