import { Database, EntityDependents, EntityUses } from '@app/database';
import { changedBy, Clock, newId, type Caller, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WorkflowStepChecker } from './workflow-step-checker.js';
import { workflowInUse, workflowNotFound, workflowVersionNotFound } from './workflow.errors.js';
import { WorkflowRepository } from './workflow.repository.js';
import type {
  CreateWorkflow,
  UpdateWorkflow,
  Workflow,
  WorkflowFields,
  WorkflowFilter,
  WorkflowVersion,
} from './workflow.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<WorkflowFields, 'name'> = {
  description: null,
  status: 'active',
  steps: [],
  configuration: {},
  team_id: null,
};

/** The fields whose changes create a version. */
const DEFINITION = ['steps', 'configuration', 'team_id'] as const;

/** A positive number that fits into an `integer` column. */
const VERSION = /^[1-9]\d{0,8}$/;

/**
 * The definitions of workflows. Agents and teams that a step names must exist when it is written. They cannot be
 * deleted while the current version names them, but they can be renamed.
 */
@Injectable()
export class WorkflowService {
  constructor(
    private readonly workflows: WorkflowRepository,
    private readonly steps: WorkflowStepChecker,
    private readonly uses: EntityUses,
    private readonly dependents: EntityDependents,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws `invalid` for faults of the steps, `conflict` if the name is in use. */
  async create(caller: Caller, request: CreateWorkflow): Promise<Workflow> {
    await this.steps.check(caller, request);
    const now = this.clock.now();
    const by = { created_by: caller.userId, ...changedBy(caller) };
    const row = { ...DEFAULTS, ...request, ...by, id: newId(), version: 1, created_at: now, updated_at: now };
    return this.database.transaction(async () => {
      const workflow = await this.workflows.insert(caller, row);
      await this.workflows.insertVersion(caller, versionOf(workflow));
      return workflow;
    });
  }

  /** Newest first. */
  async list(scope: Scope, filter: WorkflowFilter, page: Page): Promise<PageResult<Workflow>> {
    return this.workflows.list(scope, filter, page);
  }

  async read(scope: Scope, idOrName: string): Promise<Workflow> {
    const workflow = await this.workflows.find(scope, idOrName);
    if (workflow === undefined) throw workflowNotFound();
    return workflow;
  }

  /** Creates a version if the definition changes. Throws like `create`. */
  async update(caller: Caller, idOrName: string, changes: UpdateWorkflow): Promise<Workflow> {
    const { id } = await this.read(caller, idOrName);
    await this.steps.check(caller, changes);
    return this.database.transaction(async () => {
      const before = await this.workflows.lock(caller, id);
      if (before === undefined) throw workflowNotFound();
      const isChanged = definitionOf({ ...before, ...changes }) !== definitionOf(before);
      const stamps = { ...changedBy(caller), updated_at: this.clock.now() };
      const change = { ...changes, ...stamps, version: before.version + (isChanged ? 1 : 0) };
      await this.workflows.update(caller, id, change);
      const after = { ...before, ...change };
      if (isChanged) await this.workflows.insertVersion(caller, versionOf(after));
      return after;
    });
  }

  /** Deletes the workflow with its versions. Throws a `conflict` that lists the jobs that start it. */
  async delete(caller: Caller, idOrName: string): Promise<void> {
    const { id, name } = await this.read(caller, idOrName);
    const places = await this.uses.describe(caller, 'workflow', [id]);
    if (places !== undefined) throw workflowInUse(name, places);
    await this.dependents.removeWith(caller, { entity_type: 'workflow', entity_id: id }, async () => {
      if (!(await this.workflows.delete(caller, id))) throw workflowNotFound();
    });
  }

  /** Newest first. */
  async listVersions(scope: Scope, idOrName: string, page: Page): Promise<PageResult<WorkflowVersion>> {
    const { id } = await this.read(scope, idOrName);
    return this.workflows.listVersions(scope, id, page);
  }

  /** Throws `not_found`, also if `version` is not a number. */
  async readVersion(scope: Scope, idOrName: string, version: string): Promise<WorkflowVersion> {
    const { id } = await this.read(scope, idOrName);
    const found = VERSION.test(version) ? await this.workflows.findVersion(scope, id, Number(version)) : undefined;
    if (found === undefined) throw workflowVersionNotFound();
    return found;
  }
}

/** Returns the definition as text. Two texts differ if and only if a client sees a difference. */
function definitionOf(workflow: Workflow): string {
  return JSON.stringify(DEFINITION.map((field) => workflow[field]));
}

function versionOf({
  id,
  version,
  steps,
  configuration,
  team_id,
  updated_by,
  updated_at,
}: Workflow): Omit<WorkflowVersion, 'organization_id'> {
  const definition = { steps, configuration, team_id };
  return { workflow_id: id, version, ...definition, created_by: updated_by, created_at: updated_at };
}
