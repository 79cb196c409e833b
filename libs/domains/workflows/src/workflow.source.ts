import {
  changeOf,
  RunnableSource,
  RunnableSources,
  runnablesIn,
  runtimesOf,
  type AssembledRunnable,
  type DefinedStep,
  type Runnable,
  type RunDefinition,
  type RunnableRef,
} from '@app/executions';
import { distinctBy, type JsonObject, type Scope } from '@app/kernel';
import { parametersIn, runnableOf } from '@app/workflow-grammar';
import { Injectable } from '@nestjs/common';
import { WorkflowRepository } from './workflow.repository.js';
import type { Workflow, WorkflowDefinition, WorkflowVersion } from './workflow.types.js';

/** The data of a workflow that a run needs: the version that was checked when the run started. */
export class AssembledWorkflow implements AssembledRunnable {
  readonly kind = 'workflow';
  readonly id: string;
  readonly model = null;
  readonly timeoutMs = null;
  readonly execution_environment: JsonObject = {};
  readonly memberOf: readonly RunnableRef[];
  readonly furtherModels: readonly string[];

  constructor(
    readonly name: string,
    readonly version: WorkflowVersion,
  ) {
    this.id = version.workflow_id;
    this.memberOf = teamOf(version);
    const models = version.steps.map(({ model_id: model }) => model);
    this.furtherModels = [
      ...new Set(models.filter((model): model is string => typeof model === 'string' && model !== '')),
    ];
  }
}

/** A workflow runs in the environments of the agents and teams that its steps name. */
@Injectable()
export class WorkflowSource extends RunnableSource {
  override readonly kind = 'workflow';
  override readonly memberOfKinds = ['team'] as const;
  override readonly memberKinds = ['agent', 'team'] as const;
  override readonly takesParameters = true;

  constructor(
    private readonly workflows: WorkflowRepository,
    private readonly runnables: RunnableSources,
  ) {
    super();
  }

  override async find(scope: Scope, id: string): Promise<Runnable | undefined> {
    const workflow = await this.findById(scope, id);
    if (workflow === undefined) return undefined;
    const definition = await this.definitionOf(scope, workflow);
    const called = await this.calledBy(scope, definition);
    const environmentIds = [...new Set(called.flatMap((runnable) => runnable.environmentIds))];
    const callable = [...new Set(called.flatMap((runnable) => [runnable.id, ...(runnable.callable ?? [])]))];
    const { name } = workflow;
    const changes = [changeOf({ kind: this.kind, id }, workflow), ...called.flatMap((runnable) => runnable.changes)];
    const usedParameters = parametersIn(workflow.steps);
    const fixed = { definition, callable, calledRuntimes: runtimesOf(called), changes, usedParameters };
    return { kind: this.kind, id, name, environmentIds, memberOf: teamOf(workflow), lastActiveAt: null, ...fixed };
  }

  /** Returns the agents and teams of the steps, and the members of the teams. */
  override async membersOf(scope: Scope, id: string, definition?: RunDefinition | null): Promise<readonly Runnable[]> {
    const followed = definition ?? (await this.find(scope, id))?.definition;
    if (followed === undefined) return [];
    const called = await this.calledBy(scope, followed);
    const members = called.flatMap(({ kind, callable = [] }) =>
      this.runnables.memberKindsOf(kind).flatMap((one) => callable.map((member) => ({ kind: one, id: member }))),
    );
    const found = await this.runnables.findByRefs(scope, members);
    return distinctBy([...called, ...found.values()], (one) => `${one.kind} ${one.id}`);
  }

  override async namesOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const named = ids.length === 0 ? [] : await this.workflows.namesOf(scope, ids);
    return new Map(named.map(({ id, name }) => [id, name]));
  }

  override async idsNamed(scope: Scope, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.workflows.idsNamed(scope, words);
  }

  override async assemble(
    scope: Scope,
    id: string,
    definition?: RunDefinition | null,
  ): Promise<AssembledWorkflow | undefined> {
    const workflow = await this.findById(scope, id);
    if (workflow === undefined) return undefined;
    const version = await this.workflows.findVersion(scope, id, definition?.version ?? workflow.version);
    return version === undefined ? undefined : new AssembledWorkflow(workflow.name, version);
  }

  private async findById(scope: Scope, id: string): Promise<Workflow | undefined> {
    const workflow = await this.workflows.find(scope, id);
    return workflow?.id === id ? workflow : undefined;
  }

  /** Resolves the names of agents and teams with one statement per kind. */
  private async definitionOf(scope: Scope, { version, steps }: Workflow): Promise<RunDefinition> {
    const named = steps.flatMap((step) => runnableOf(step) ?? []);
    const ids = named.length === 0 ? undefined : await this.runnables.idsNamed(scope, named);
    const defined = steps.map((step): DefinedStep => {
      const runnable = runnableOf(step);
      const found = runnable === undefined ? [] : (ids?.get(runnable.kind)?.get(runnable.idOrName) ?? []);
      const [id = null] = found.length === 1 ? found : [];
      return { name: String(step['name']), type: String(step['type']), entity_id: id };
    });
    return { version, steps: defined };
  }

  private async calledBy(scope: Scope, definition: RunDefinition): Promise<readonly Runnable[]> {
    return [...(await this.runnables.findByRefs(scope, runnablesIn(definition))).values()];
  }
}

function teamOf({ team_id: id }: Pick<WorkflowDefinition, 'team_id'>): readonly RunnableRef[] {
  return id === null ? [] : [{ kind: 'team', id }];
}
