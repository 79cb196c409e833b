import { Database, EntityDependents } from '@app/database';
import {
  Clock,
  mayHideSecrets,
  newId,
  PROJECT_SECRETS,
  randomBase62,
  rejectHiddenSecrets,
  restoreSecrets,
  withoutUndefined,
  type Caller,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyLookup } from './policy-lookup.js';
import { projectNotFound } from './project.errors.js';
import { ProjectRepository } from './project.repository.js';
import type {
  CreateProject,
  NewProject,
  Project,
  ProjectFields,
  ProjectFilter,
  UpdateProject,
} from './project.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<ProjectFields, 'name' | 'key'> = {
  description: null,
  goals: null,
  status: 'active',
  visibility: 'private',
  default_model: null,
  settings: {},
  restrict_to_environment: false,
  policy_ids: [],
};

const DEFAULT_PROJECT = { name: 'Default', key: 'default' } as const;
const KEY_SUFFIX_LENGTH = 8;

@Injectable()
export class ProjectService {
  constructor(
    private readonly projects: ProjectRepository,
    private readonly policies: PolicyLookup,
    private readonly dependents: EntityDependents,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * The user of the caller becomes the owner. Naming policies needs the scope `admin`, see `PolicyLookup.checkChange`.
   */
  async create(caller: Caller, request: CreateProject): Promise<Project> {
    rejectHiddenSecrets(PROJECT_SECRETS, request.settings, ['settings']);
    return this.database.transaction(async () => {
      await this.policies.checkChange(caller, [], request.policy_ids ?? []);
      return this.projects.insert(caller, newProject(caller, request, this.clock.now()));
    });
  }

  /** Newest first. */
  async list(scope: Scope, filter: ProjectFilter, page: Page): Promise<PageResult<Project>> {
    return this.projects.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Project> {
    const project = await this.projects.find(scope, id);
    if (project === undefined) throw projectNotFound();
    return project;
  }

  /**
   * Returns the default project of the organization, and creates it if there is none. The database accepts only one, so
   * simultaneous first calls return the same project. Its key is `default` unless another project has that key.
   */
  async readDefault(caller: Caller): Promise<Project> {
    const existing = await this.projects.findDefault(caller);
    if (existing !== undefined) return existing;
    const otherKey = `${DEFAULT_PROJECT.key}-${randomBase62(KEY_SUFFIX_LENGTH)}`;
    for (const key of [DEFAULT_PROJECT.key, otherKey]) {
      const project = newProject(caller, { ...DEFAULT_PROJECT, key }, this.clock.now());
      await this.projects.insertIfPossible(caller, { ...project, is_default: true });
      const created = await this.projects.findDefault(caller);
      if (created !== undefined) return created;
    }
    throw projectNotFound();
  }

  /**
   * Updates `archived_at` with the status. Hidden secret values keep the stored ones, see `restoreSecrets`. Changing the policies needs the scope `admin`, see
   * `PolicyLookup.checkChange`.
   */
  async update(caller: Caller, id: string, changes: UpdateProject): Promise<Project> {
    return this.database.transaction(async () => {
      const before = await this.projects.lock(caller, id);
      if (before === undefined) throw projectNotFound();
      await this.policies.checkChange(caller, before.policy_ids, changes.policy_ids ?? before.policy_ids);
      const now = this.clock.now();
      const { status = before.status, settings: sent } = changes;
      const archived_at = status === 'archived' ? (before.archived_at ?? now) : null;
      const settings = mayHideSecrets(sent)
        ? restoreSecrets(PROJECT_SECRETS, sent, before.settings, ['settings'])
        : sent;
      const written = { ...changes, ...withoutUndefined({ settings }), archived_at, updated_at: now };
      const updated = await this.projects.update(caller, id, written);
      if (updated === undefined) throw projectNotFound();
      return updated;
    });
  }

  /** Deletes the project. Its members remain, without the project. */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.dependents.removeWith(caller, { entity_type: 'project', entity_id: id }, async () => {
      if (!(await this.projects.delete(caller, id))) throw projectNotFound();
    });
  }
}

function newProject({ userId, userEmail }: Caller, request: CreateProject, now: Date): NewProject {
  return {
    ...DEFAULTS,
    ...request,
    id: newId(),
    owner_id: userId,
    owner_email: userEmail,
    is_default: false,
    archived_at: null,
    created_at: now,
    updated_at: now,
  };
}
