export { ProjectLookupModule, ProjectsModule } from './projects.module.js';
export { ProjectService } from './project.service.js';
export { projectMemberNotFound } from './project.errors.js';
export { PolicyLookup } from './policy-lookup.js';
export { ProjectLookupService } from './project-lookup.service.js';
export { ProjectMemberService } from './project-member.service.js';
export {
  PROJECT_STATUSES,
  PROJECT_VISIBILITIES,
  type CreateProject,
  type MemberCounts,
  type Project,
  type ProjectFilter,
  type ProjectMember,
  type ProjectPolicies,
  type ProjectStatus,
  type ProjectSummary,
  type ProjectVisibility,
  type RunDefaults,
  type UpdateProject,
} from './project.types.js';
