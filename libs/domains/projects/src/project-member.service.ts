import { EntityDependent, EntityResolvers } from '@app/database';
import type { ExecutionType, RunnableRef } from '@app/executions';
import { Clock, newId, type Caller, type EntityRef, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ProjectMemberRepository } from './project-member.repository.js';
import { projectMemberNotFound, projectNotFound, tooManyProjects } from './project.errors.js';
import { ProjectRepository } from './project.repository.js';
import { MAX_PROJECTS_PER_MEMBER, type AddProjectMember, type ProjectMember } from './project.types.js';

/** The members of projects, which are runnables. */
@Injectable()
export class ProjectMemberService extends EntityDependent {
  constructor(
    private readonly members: ProjectMemberRepository,
    private readonly projects: ProjectRepository,
    private readonly entities: EntityResolvers,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Throws `not_found` if there is no such project or runnable, `conflict` if it belongs to the project already. */
  async add(caller: Caller, projectId: string, { member, role = null }: AddProjectMember): Promise<ProjectMember> {
    return this.projects.changing(caller, projectId, this.clock.now(), async () => {
      await this.entities.lock(caller, member.kind, member.id);
      const count = await this.members.count(caller, member);
      const added = await this.members.insert(caller, {
        id: newId(),
        project_id: projectId,
        kind: member.kind,
        entity_id: member.id,
        role,
        added_at: this.clock.now(),
        added_by: caller.userId,
      });
      // Checked after the insert, so that a duplicate is reported as a duplicate even at the limit.
      if (count >= MAX_PROJECTS_PER_MEMBER) throw tooManyProjects(member.kind);
      return added;
    });
  }

  /** Throws `not_found` if the project has no such member. */
  async remove(scope: Scope, projectId: string, member: RunnableRef): Promise<void> {
    await this.projects.changing(scope, projectId, this.clock.now(), async () => {
      if (!(await this.members.delete(scope, projectId, member))) throw projectMemberNotFound(member.kind);
    });
  }

  /** Returns the members of one kind, newest first. Throws `not_found` if there is no such project. */
  async list(scope: Scope, projectId: string, kind: ExecutionType, page: Page): Promise<PageResult<ProjectMember>> {
    await this.requireProject(scope, projectId);
    return this.members.list(scope, projectId, kind, page);
  }

  /** Throws `not_found` if there is no such project or the project has no such member. */
  async read(scope: Scope, projectId: string, member: RunnableRef): Promise<ProjectMember> {
    await this.requireProject(scope, projectId);
    const found = await this.members.find(scope, projectId, member);
    if (found === undefined) throw projectMemberNotFound(member.kind);
    return found;
  }

  override async removeOf(scope: Scope, entity: EntityRef): Promise<void> {
    await this.members.deleteOf(scope, entity);
  }

  private async requireProject(scope: Scope, id: string): Promise<void> {
    if ((await this.projects.find(scope, id)) === undefined) throw projectNotFound();
  }
}
