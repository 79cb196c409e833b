import type { EnvironmentLayer, ExecutionType, RunnableRef } from '@app/executions';
import type { JsonObject, Patch } from '@app/kernel';

export const PROJECT_STATUSES = ['active', 'inactive', 'paused', 'archived'] as const;
export type ProjectStatus = (typeof PROJECT_STATUSES)[number];

export const PROJECT_VISIBILITIES = ['private', 'org'] as const;
export type ProjectVisibility = (typeof PROJECT_VISIBILITIES)[number];

/**
 * Maximum number of projects to which an agent or team can belong, because every response with the agent or team
 * contains all of them.
 */
export const MAX_PROJECTS_PER_MEMBER = 100;

/** The fields a client can set. */
export interface ProjectFields {
  /** Not unique. */
  readonly name: string;
  /** Unique in the organization. */
  readonly key: string;
  readonly description: string | null;
  readonly goals: string | null;
  /** Set by clients. The settings apply to runs of members in every status. */
  readonly status: ProjectStatus;
  readonly visibility: ProjectVisibility;
  /** Id or value of a model; looked up when a member without a model runs. */
  readonly default_model: string | null;
  /** Free-form. Runs use `environment_ids` and `execution_environment`. */
  readonly settings: JsonObject;
  /** Whether runs of the members are routed only to the environments in `settings.environment_ids`. */
  readonly restrict_to_environment: boolean;
  readonly policy_ids: string[];
}

export interface Project extends ProjectFields {
  readonly id: string;
  readonly organization_id: string;
  /** The user who created the project, and the user's email address at that time. */
  readonly owner_id: string | null;
  readonly owner_email: string | null;
  /** Whether it is the default project of the organization, of which there is at most one. */
  readonly is_default: boolean;
  /** Time at which the status became `archived`; null in every other status. */
  readonly archived_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Row of a new project, without its organization. */
export type NewProject = Omit<Project, 'organization_id'>;
export type CreateProject = Pick<ProjectFields, 'name' | 'key'> & Patch<Omit<ProjectFields, 'status'>>;
export type UpdateProject = Patch<ProjectFields>;

export interface ProjectFilter {
  readonly name?: string;
  readonly status?: ProjectStatus;
}

/** The fields of a project that responses about its members contain. */
export type ProjectSummary = Pick<Project, 'id' | 'name' | 'key' | 'status'>;

/** The membership of a runnable in a project. */
export interface ProjectMember {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly kind: ExecutionType;
  readonly entity_id: string;
  /** Free text. */
  readonly role: string | null;
  readonly added_at: Date;
  readonly added_by: string | null;
}

/** Row of a new membership, without its organization. */
export type NewProjectMember = Omit<ProjectMember, 'organization_id'>;

export interface AddProjectMember {
  readonly member: RunnableRef;
  readonly role?: string | null;
}

/** The number of members of a project, by kind. Kinds without members are absent. */
export type MemberCounts = ReadonlyMap<ExecutionType, number>;

/** A project that restricts the environments of its members. */
export interface ProjectRestriction {
  /** The value of `settings.environment_ids`, unchecked. */
  readonly environment_ids: unknown;
}

/** What a project adds to the runs of its members. */
export interface ProjectLayer extends Pick<Project, 'id' | 'default_model'> {
  /** The value of `settings.execution_environment`, unchecked. */
  readonly execution_environment: unknown;
}

/** A project that names policies. */
export type ProjectPolicies = Pick<Project, 'id' | 'policy_ids'>;

/** What the projects of a runnable add to its runs. */
export interface RunDefaults {
  /** Id or value of the model that is used if the runnable has none; null if no project names one. */
  readonly model: string | null;
  /** Later ones override earlier ones. */
  readonly environments: readonly EnvironmentLayer[];
}
