import { InheritanceService, NO_INHERITANCE, orderVariableLayers } from '@app/entity-contexts';
import {
  RunnableSources,
  timeoutMsOf,
  type AssembledRunnable,
  type DefinedRef,
  type LeasedExecution,
  type RunnableRef,
} from '@app/executions';
import { entityKeyOf, type JsonObject, type Scope } from '@app/kernel';
import { MCP_SKILL_TYPE, type ResolvedSkill } from '@app/skills';
import { Injectable } from '@nestjs/common';
import { contextOfRun } from './run-context.js';
import { RunEnvironmentsService } from '../variables/run-environments.service.js';
import { RunModelsService } from './run-models.service.js';
import type { SharedReads } from './shared-reads.js';
import type { AssembledCall, AssembledRun, UnstartableRun } from '../run.types.js';

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
    const ref = id === null || !this.runnables.has(kind) ? null : { kind, id, definition, callable };
    const key = `parts of ${keyOf(ref)} with ${callable?.join() ?? 'all'}`;
    const common = await reads.once(key, () => this.readCommon(scope, ref, { environmentId, reads }));
    if (common === undefined) return { lease, reason: `The ${kind} ${id} no longer exists` };
    const resolved = await this.resolve(scope, common.parts, execution);
    const failure = resolved.find((one) => 'failure' in one);
    if (failure !== undefined) return { lease, reason: failure.failure };
    const [run, ...called] = resolved.filter((one): one is ResolvedParts => !('failure' in one));
    if (run === undefined) throw new Error('The own parts of the run are missing');
    return { lease, ...run, calls: called.filter(hasRunnable), furtherModels: common.furtherModels };
  }

  /**
   * Returns what all runs of the runnable with these members have in common; undefined if the runnable does not exist.
   * A run without a runnable only has its environment. The number of statements does not depend on the number of members.
   */
  private async readCommon(scope: Scope, ref: DefinedRef | null, place: Place): Promise<CommonParts | undefined> {
    const { environmentId, reads } = place;
    const [own, called, environment] = await Promise.all([
      ref === null ? null : reads.once(keyOf(ref), () => this.runnables.assemble(scope, ref)),
      this.readCalled(scope, ref, reads),
      reads.once('environment', () => this.environments.ofEnvironment(scope, environmentId)),
    ]);
    if (own === undefined) return undefined;
    const runnables = [own, ...called];
    const inheritance = own === null ? [NO_INHERITANCE] : this.inheritance.ofRuns(scope, [own, ...called]);
    const [owners, { models, furtherModels }, inherited] = await Promise.all([
      this.readAll(
        scope,
        runnables.flatMap((runnable) => runnable?.memberOf ?? []),
        reads,
      ),
      this.models.ofRun(scope, runnables, inheritance),
      inheritance,
    ]);
    const parts = runnables.map((runnable, index) => {
      const { defaults, skills, context } = inherited[index] ?? NO_INHERITANCE;
      const ofOwners = (runnable?.memberOf ?? []).map((owner) => owners.get(keyOf(owner)));
      const layers = orderVariableLayers({
        ofEnvironments: [environment],
        ofProjects: defaults.environments.map((layer) => layer.environment),
        ofRunnables: [...ofOwners, runnable].map((layer) => layer?.execution_environment),
      });
      return {
        runnable,
        model: models[index] ?? null,
        layers: [{ mcp_servers: mcpServersOf(skills) }, ...layers].filter((layer) => layer !== undefined),
        skills,
        context: contextOfRun(context, runnable),
      };
    });
    return { parts, furtherModels };
  }

  /** Returns the runnables that the run may call. Omits those that do not exist. */
  private async readCalled(
    scope: Scope,
    ref: DefinedRef | null,
    reads: SharedReads,
  ): Promise<readonly AssembledRunnable[]> {
    if (ref === null) return [];
    const members = await this.runnables.membersOf(scope, ref);
    const found = await this.readAll(scope, members, reads);
    return members.flatMap((member) => found.get(keyOf(member)) ?? []);
  }

  /** Returns the runnables that exist, with their current definitions, by `keyOf`. */
  private async readAll(
    scope: Scope,
    refs: readonly RunnableRef[],
    reads: SharedReads,
  ): Promise<ReadonlyMap<string, AssembledRunnable>> {
    const byKey = new Map(refs.map(({ kind, id }) => [keyOf({ kind, id }), { kind, id }]));
    return reads.onceEach([...byKey.keys()], (keys) =>
      this.runnables.assembleByRefs(
        scope,
        keys.flatMap((key) => byKey.get(key) ?? []),
      ),
    );
  }

  /** Returns the parts of the run and of the runnables that it may call, with their environments, in their order. */
  private async resolve(
    scope: Scope,
    parts: readonly RunnableParts[],
    execution: LeasedExecution['execution'],
  ): Promise<readonly (ResolvedParts | { readonly failure: string })[]> {
    const start = { environment: execution.execution_environment, mayOverride: execution.may_override_environment };
    const environments = await this.environments.resolveAll(
      scope,
      parts.map(({ layers }) => layers),
      start,
    );
    return parts.map(({ layers: _layers, ...part }, index) => {
      const failure = unfitModelOf(part);
      const resolved = failure === undefined ? environments[index] : { failure };
      if (resolved === undefined) throw new Error('The environment of a run is missing');
      if ('failure' in resolved) return resolved;
      const timeoutMs = timeoutMsOf(execution.config) ?? part.runnable?.timeoutMs ?? null;
      return { ...part, timeoutMs, environment: resolved.environment };
    });
  }
}

/** The environment in which a leased execution runs, and the reads that it shares with the other leases of a poll. */
interface Place {
  readonly environmentId: string;
  readonly reads: SharedReads;
}

interface CommonParts extends Pick<AssembledRun, 'furtherModels'> {
  /** Those of the run, then those of each runnable that it may call. */
  readonly parts: readonly RunnableParts[];
}

interface RunnableParts extends Pick<AssembledRun, 'runnable' | 'model' | 'skills' | 'context'> {
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
function unfitModelOf({ runnable, model }: Pick<RunnableParts, 'runnable' | 'model'>): string | undefined {
  if (runnable?.model == null || runnable.runtime === undefined) return undefined;
  if (model === null || !('source' in model) || model.source !== 'stored') return undefined;
  const { value, compatible_runtimes: runtimes } = model;
  const { kind, id, runtime } = runnable;
  if (runtimes.length === 0 || runtimes.includes(runtime)) return undefined;
  return `The ${kind} ${id} has the runtime ${runtime}, but its model ${value} is compatible only with ${runtimes.join(', ')}`;
}

/** For a runnable without a definition, this is its key in the results of `RunnableSources`. */
function keyOf(ref: DefinedRef | null): string {
  if (ref === null) return 'no runnable';
  const { kind, id, definition } = ref;
  const key = entityKeyOf({ entity_type: kind, entity_id: id });
  return definition == null ? key : `${key} ${definition.version} ${JSON.stringify(definition.steps)}`;
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
