import { Database, rejectDuplicate } from '@app/database';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ProjectEntity } from './project.entity.js';
import { projectKeyTaken, projectNotFound } from './project.errors.js';
import type { NewProject, Project, ProjectFilter, UpdateProject } from './project.types.js';

const UNIQUE_KEY = 'uq_projects_organization_id_key';

/** The fields of a project that change after its creation. */
type ProjectChanges = UpdateProject & Partial<Pick<Project, 'archived_at'>> & Pick<Project, 'updated_at'>;

@Injectable()
export class ProjectRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, project: NewProject): Promise<Project> {
    const inserted = this.database.insert(ProjectEntity, { ...project, organization_id: organizationId });
    return rejectDuplicate(inserted, UNIQUE_KEY, () => projectKeyTaken(project.key));
  }

  /**
   * Inserts a project. Does nothing if another project has the key, or if the project is a default project and the
   * organization already has one.
   */
  async insertIfPossible({ organizationId }: Scope, project: NewProject): Promise<void> {
    await this.database.insertIfMissing(ProjectEntity, { ...project, organization_id: organizationId });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, { name, status }: ProjectFilter, page: Page): Promise<PageResult<Project>> {
    const query = this.database
      .select(ProjectEntity, 'project', { ...withoutUndefined({ name, status }), organization_id: organizationId })
      .orderBy('project.created_at', 'DESC');
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, id: string): Promise<Project | undefined> {
    return this.database.findOne(ProjectEntity, { id, organization_id: organizationId });
  }

  async findDefault({ organizationId }: Scope): Promise<Project | undefined> {
    return this.database.findOne(ProjectEntity, { organization_id: organizationId, is_default: true });
  }

  /**
   * Locks the project until the transaction ends, so that no other transaction changes or deletes it or changes its
   * members.
   */
  async lock({ organizationId }: Scope, id: string): Promise<Project | undefined> {
    return this.database.lockOne(ProjectEntity, { id, organization_id: organizationId });
  }

  async update({ organizationId }: Scope, id: string, changes: ProjectChanges): Promise<Project | undefined> {
    const updated = this.database.update(ProjectEntity, { id, organization_id: organizationId }, changes);
    return rejectDuplicate(updated, UNIQUE_KEY, () => projectKeyTaken(changes.key ?? ''));
  }

  /**
   * Runs `work` in a transaction that sets `updated_at` of the project. This locks the project, so that it is not
   * deleted while a member is added. Throws `not_found` if there is no such project.
   */
  async changing<T>(scope: Scope, id: string, updated_at: Date, work: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      if ((await this.update(scope, id, { updated_at })) === undefined) throw projectNotFound();
      return work();
    });
  }

  /** Returns false if there is no such project. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(ProjectEntity, { id, organization_id: organizationId });
  }
}
