import { Database, rejectDuplicate } from '@app/database';
import { findIdsNamed } from '@app/executions';
import { withoutUndefined, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { WorkflowEntity, WorkflowVersionEntity } from './workflow.entity.js';
import { workflowNameTaken } from './workflow.errors.js';
import type { NewWorkflow, Workflow, WorkflowFilter, WorkflowVersion } from './workflow.types.js';

const FIND_IDS_NAMED = findIdsNamed('workflows');
const UNIQUE_NAME = 'uq_workflows_organization_id_name';

@Injectable()
export class WorkflowRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, workflow: NewWorkflow): Promise<Workflow> {
    const inserted = this.database.insert(WorkflowEntity, { ...workflow, organization_id: organizationId });
    return rejectDuplicate(inserted, UNIQUE_NAME, () => workflowNameTaken(workflow.name));
  }

  /** Newest first. */
  async list({ organizationId }: Scope, { name, status }: WorkflowFilter, page: Page): Promise<PageResult<Workflow>> {
    const query = this.database
      .select(WorkflowEntity, 'workflow', { ...withoutUndefined({ name, status }), organization_id: organizationId })
      .orderBy('workflow.created_at', 'DESC');
    return this.database.listPage(query, page);
  }

  /** Returns the workflow with this id, otherwise the workflow with this name. */
  async find({ organizationId }: Scope, idOrName: string): Promise<Workflow | undefined> {
    const query = this.database
      .select(WorkflowEntity, 'workflow', { organization_id: organizationId })
      .andWhere('(workflow.id = :idOrName OR workflow.name = :idOrName)', { idOrName })
      .orderBy('workflow.id = :idOrName', 'DESC');
    return (await query.getOne()) ?? undefined;
  }

  /** Returns, by word, the ids of the workflows with this id or name; see `RunnableSource.idsNamed`. */
  async idsNamed({ organizationId }: Scope, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const values = [organizationId, words];
    const found = await this.database.prepared<{ word: string; ids: string[] }>(FIND_IDS_NAMED, values);
    return new Map(found.map(({ word, ids }) => [word, ids]));
  }

  async namesOf({ organizationId }: Scope, ids: readonly string[]): Promise<Pick<Workflow, 'id' | 'name'>[]> {
    return this.database.repository(WorkflowEntity).find({
      select: { id: true, name: true },
      where: { organization_id: organizationId, id: Any(ids) },
    });
  }

  /** Locks the workflow until the transaction ends, so that concurrent updates create different versions. */
  async lock({ organizationId }: Scope, id: string): Promise<Workflow | undefined> {
    return this.database.lockOne(WorkflowEntity, { id, organization_id: organizationId });
  }

  async update({ organizationId }: Scope, id: string, changes: Patch<Workflow>): Promise<void> {
    const updated = this.database.update(WorkflowEntity, { id, organization_id: organizationId }, changes);
    await rejectDuplicate(updated, UNIQUE_NAME, () => workflowNameTaken(changes.name ?? ''));
  }

  /** Deletes the workflow with its versions. Returns false if there is no such workflow. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(WorkflowEntity, { id, organization_id: organizationId });
  }

  async insertVersion({ organizationId }: Scope, version: Omit<WorkflowVersion, 'organization_id'>): Promise<void> {
    await this.database.insert(WorkflowVersionEntity, { ...version, organization_id: organizationId });
  }

  /** Newest first. */
  async listVersions({ organizationId }: Scope, id: string, page: Page): Promise<PageResult<WorkflowVersion>> {
    const query = this.database
      .select(WorkflowVersionEntity, 'version', { organization_id: organizationId, workflow_id: id })
      .orderBy('version.version', 'DESC');
    return this.database.listPage(query, page);
  }

  async findVersion({ organizationId }: Scope, id: string, version: number): Promise<WorkflowVersion | undefined> {
    const where = { organization_id: organizationId, workflow_id: id, version };
    return this.database.findOne(WorkflowVersionEntity, where);
  }
}
