import { Database } from '@app/database';
import { newId, type Caller, type PageResult, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyChecker } from '../verdicts/policy-checker.js';
import { PolicyReferences } from '../associations/policy-references.js';
import { policyInUse, policyNotFound } from './policy.errors.js';
import { PolicyRepository } from './policy.repository.js';
import type { CreatePolicy, Policy, PolicyFields, PolicyFilter, StoredPolicy, UpdatePolicy } from './policy.types.js';
import { PolicyVersionRepository } from '../versions/policy-version.repository.js';
import type { PolicyVersion } from '../versions/policy-version.types.js';

/** Defaults of the fields that a client may omit. */
const DEFAULTS: Omit<PolicyFields, 'name'> = {
  description: null,
  enabled: true,
  tags: [],
  policy_content: '',
  metadata: {},
};

@Injectable()
export class PolicyService {
  constructor(
    private readonly policies: PolicyRepository,
    private readonly versions: PolicyVersionRepository,
    private readonly checker: PolicyChecker,
    private readonly references: PolicyReferences,
    private readonly database: Database,
  ) {}

  /** Throws `invalid` if the text does not compile. */
  async create(caller: Caller, request: CreatePolicy): Promise<Policy> {
    await this.checker.check(caller, request.policy_content ?? '');
    const policy = {
      ...DEFAULTS,
      ...request,
      id: newId(),
      policy_type: 'rego' as const,
      version: 1,
      created_by: caller.userId,
      updated_by: caller.userId,
    };
    return this.database.transaction(async () => {
      const stored = await this.policies.insert(caller, policy);
      await this.versions.insert(caller, versionOf(stored));
      return { ...stored, association_count: 0 };
    });
  }

  async list(scope: Scope, filter: PolicyFilter, page: Page): Promise<PageResult<Policy>> {
    return this.policies.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Policy> {
    const policy = await this.policies.find(scope, id);
    if (policy === undefined) throw policyNotFound();
    return policy;
  }

  /** Creates a version, even if `changes` is empty. Throws `invalid` if the new text does not compile. */
  async update(caller: Caller, id: string, changes: UpdatePolicy): Promise<Policy> {
    if (changes.policy_content !== undefined) await this.checker.check(caller, changes.policy_content);
    return this.database.transaction(async () => {
      const before = await this.policies.lock(caller, id);
      if (before === undefined) throw policyNotFound();
      const change = { ...changes, version: before.version + 1, updated_by: caller.userId };
      const updated = await this.policies.update(caller, id, change);
      if (updated === undefined) throw policyNotFound();
      await this.versions.insert(caller, versionOf(updated));
      return this.read(caller, id);
    });
  }

  /**
   * Deletes the policy with its associations. Its versions are kept for the decisions that used them. Throws `conflict` if
   * something else names the policy.
   */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.database.transaction(async () => {
      // Checked after the lock was acquired, so that nothing can begin to name the policy between the check and the
      // deletion.
      if ((await this.policies.lock(scope, id)) === undefined) throw policyNotFound();
      const users = await this.references.usersOf(scope, id);
      if (users.length > 0) throw policyInUse(users);
      await this.policies.delete(scope, id);
    });
  }
}

function versionOf(policy: StoredPolicy): PolicyVersion {
  const { id, updated_by, updated_at, created_by: _createdBy, created_at: _createdAt, ...fields } = policy;
  return { ...fields, policy_id: id, created_by: updated_by, created_at: updated_at };
}
