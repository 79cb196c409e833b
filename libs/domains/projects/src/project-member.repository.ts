import { Database, rejectDuplicate } from '@app/database';
import type { ExecutionType, RunnableRef } from '@app/executions';
import type { EntityRef, Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ProjectMemberEntity } from './project.entity.js';
import { projectMemberExists } from './project.errors.js';
import {
  COUNT_MEMBERS,
  FIND_LAYERS,
  FIND_MEMBER_REFS,
  FIND_POLICIES,
  FIND_PROJECTS_OF,
  FIND_RESTRICTED_MEMBERS,
  FIND_RESTRICTIONS,
  FIND_WITH_POLICY,
  MAY_APPLY,
} from './project.sql.js';
import type {
  NewProjectMember,
  Project,
  ProjectLayer,
  ProjectMember,
  ProjectPolicies,
  ProjectRestriction,
  ProjectSummary,
} from './project.types.js';

interface MemberCount extends Pick<ProjectMember, 'project_id' | 'kind'> {
  readonly members: number;
}

type MemberLayer = ProjectLayer & Pick<ProjectMember, 'kind' | 'entity_id'>;

type RestrictedMember = ProjectRestriction & Pick<ProjectMember, 'kind' | 'entity_id'>;

@Injectable()
export class ProjectMemberRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, member: NewProjectMember): Promise<ProjectMember> {
    const inserted = this.database.insert(ProjectMemberEntity, { ...member, organization_id: organizationId });
    return rejectDuplicate(inserted, 'uq_project_members_project_id_entity', () => projectMemberExists(member.kind));
  }

  /** Returns the members of one kind, newest first. */
  async list(
    { organizationId }: Scope,
    projectId: string,
    kind: ExecutionType,
    page: Page,
  ): Promise<PageResult<ProjectMember>> {
    const query = this.database
      .select(ProjectMemberEntity, 'member', { organization_id: organizationId, project_id: projectId, kind })
      .orderBy('member.added_at', 'DESC');
    return this.database.listPage(query, page);
  }

  async find({ organizationId }: Scope, projectId: string, ref: RunnableRef): Promise<ProjectMember | undefined> {
    const where = { organization_id: organizationId, project_id: projectId, kind: ref.kind, entity_id: ref.id };
    return this.database.findOne(ProjectMemberEntity, where);
  }

  async countsOf({ organizationId }: Scope, projectIds: readonly string[]): Promise<readonly MemberCount[]> {
    return this.database.sql<MemberCount>(COUNT_MEMBERS, [organizationId, projectIds]);
  }

  /**
   * Returns the projects of each runnable, in the order in which the runnable was added to them. Throws `conflict` if
   * they are too large.
   */
  async projectsOf(
    { organizationId }: Scope,
    runnables: readonly RunnableRef[],
  ): Promise<readonly (ProjectSummary & Pick<ProjectMember, 'kind' | 'entity_id'>)[]> {
    const values = [organizationId, ...pairsOf(runnables)];
    return this.database.boundedSet('The projects of the runnables', FIND_PROJECTS_OF, values);
  }

  /**
   * Returns the restrictions of the projects of these runnables. A project to which two of them belong can occur twice.
   */
  async restrictionsOf(
    { organizationId }: Scope,
    runnables: readonly RunnableRef[],
  ): Promise<readonly ProjectRestriction[]> {
    return this.database.shared<ProjectRestriction>(FIND_RESTRICTIONS, [organizationId, ...pairsOf(runnables)]);
  }

  /** Returns the members of all projects with restrictions, each with the restriction. Throws `conflict` if they are too large. */
  async restrictedMembers({ organizationId }: Scope): Promise<readonly RestrictedMember[]> {
    return this.database.boundedSet('The members of the projects', FIND_RESTRICTED_MEMBERS, [organizationId]);
  }

  /**
   * Returns the projects of each runnable, in the order in which the runnable was added to them. Throws `conflict` if
   * they are too large.
   */
  async layersOf({ organizationId }: Scope, runnables: readonly RunnableRef[]): Promise<readonly MemberLayer[]> {
    const values = [organizationId, ...pairsOf(runnables)];
    return this.database.boundedSet<MemberLayer>('The execution environments of the projects', FIND_LAYERS, values);
  }

  /**
   * Returns the projects of the runnables that name policies, those of the first runnable first. A project to which two
   * of them belong occurs twice.
   */
  async policiesOf({ organizationId }: Scope, runnables: readonly RunnableRef[]): Promise<readonly ProjectPolicies[]> {
    return this.database.prepared<ProjectPolicies>(FIND_POLICIES, [organizationId, ...pairsOf(runnables)]);
  }

  /** Returns false only if no project with policies has the runnable, or any runnable of these kinds, as a member. */
  async policiesMayApply(
    { organizationId }: Scope,
    { kind, id }: RunnableRef,
    kinds: readonly ExecutionType[],
  ): Promise<boolean> {
    const values = [organizationId, kinds, kind, id];
    const [row] = await this.database.shared<{ may_apply: boolean }>(MAY_APPLY, values);
    return row?.may_apply ?? true;
  }

  /** Returns up to `limit` projects that name the policy, in the alphabetical order of their keys. */
  async findWithPolicy(
    { organizationId }: Scope,
    policyId: string,
    limit: number,
  ): Promise<readonly Pick<Project, 'id' | 'key' | 'name'>[]> {
    return this.database.sql<Pick<Project, 'id' | 'key' | 'name'>>(FIND_WITH_POLICY, [organizationId, policyId, limit]);
  }

  /** Returns the runnables of a project. Throws `conflict` if they are too large. */
  async refsOf({ organizationId }: Scope, projectId: string): Promise<readonly RunnableRef[]> {
    return this.database.boundedSet<RunnableRef>('The members of the project', FIND_MEMBER_REFS, [
      organizationId,
      projectId,
    ]);
  }

  /** Returns the number of projects of the runnable. */
  async count({ organizationId }: Scope, { kind, id }: RunnableRef): Promise<number> {
    return this.database
      .repository(ProjectMemberEntity)
      .countBy({ organization_id: organizationId, kind, entity_id: id });
  }

  /** Returns false if the project has no such member. */
  async delete({ organizationId }: Scope, projectId: string, ref: RunnableRef): Promise<boolean> {
    const where = { organization_id: organizationId, project_id: projectId, kind: ref.kind, entity_id: ref.id };
    return this.database.delete(ProjectMemberEntity, where);
  }

  /** Removes the entity from all projects. */
  async deleteOf({ organizationId }: Scope, { entity_type, entity_id }: EntityRef): Promise<void> {
    const member = { organization_id: organizationId, kind: entity_type as ExecutionType, entity_id };
    await this.database.delete(ProjectMemberEntity, member);
  }
}

function pairsOf(runnables: readonly RunnableRef[]): [string[], string[]] {
  return [runnables.map(({ kind }) => kind), runnables.map(({ id }) => id)];
}
