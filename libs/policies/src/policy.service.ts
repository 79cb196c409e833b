import { Database } from '@app/database';
import { Clock, newId, type Caller, type Listed, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyCompiler } from './policy-compiler.js';
import { policyNotFound } from './policy.errors.js';
import { PolicyRepository } from './policy.repository.js';
import type { CreatePolicy, Policy, PolicyFields, PolicyFilter, StoredPolicy, UpdatePolicy } from './policy.types.js';
import { PolicyVersionRepository } from './policy-version.repository.js';
import type { PolicyVersion } from './policy-version.types.js';

/** What a policy is where the client does not say. */
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
    private readonly compiler: PolicyCompiler,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Nothing is stored that does not compile. */
  async create(caller: Caller, request: CreatePolicy): Promise<Policy> {
    this.compiler.check(request.policy_content ?? '');
    const now = this.clock.now();
    const policy = {
      ...DEFAULTS,
      ...request,
      id: newId(),
      policy_type: 'rego' as const,
      version: 1,
      created_by: caller.userId,
      updated_by: caller.userId,
      created_at: now,
      updated_at: now,
    };
    return this.database.transaction(async () => {
      const stored = await this.policies.insert(caller, policy);
      await this.versions.insert(caller, versionOf(stored));
      return { ...stored, association_count: 0 };
    });
  }

  async list(scope: Scope, filter: PolicyFilter, page: Page): Promise<Listed<Policy>> {
    return this.policies.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Policy> {
    const policy = await this.policies.find(scope, id);
    if (policy === undefined) throw policyNotFound();
    return policy;
  }

  /** Every update makes a version, whatever it says; of several at once each makes its own. */
  async update(caller: Caller, id: string, changes: UpdatePolicy): Promise<Policy> {
    if (changes.policy_content !== undefined) this.compiler.check(changes.policy_content);
    return this.database.transaction(async () => {
      const before = await this.policies.lock(caller, id);
      if (before === undefined) throw policyNotFound();
      const change = {
        ...changes,
        version: before.version + 1,
        updated_by: caller.userId,
        updated_at: this.clock.now(),
      };
      await this.policies.update(caller, id, change);
      await this.versions.insert(caller, versionOf({ ...before, ...change }));
      return this.read(caller, id);
    });
  }

  /** With its associations; its history stays. */
  async delete(scope: Scope, id: string): Promise<void> {
    if (!(await this.policies.delete(scope, id))) throw policyNotFound();
  }
}

function versionOf(policy: StoredPolicy): PolicyVersion {
  const { id, updated_by, updated_at, created_by: _maker, created_at: _made, ...fields } = policy;
  return { ...fields, policy_id: id, created_by: updated_by, created_at: updated_at };
}
