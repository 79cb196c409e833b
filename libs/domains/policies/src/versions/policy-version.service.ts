import type { PageResult, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { policyNotFound, policyVersionNotFound } from '../policies/policy.errors.js';
import { PolicyRepository } from '../policies/policy.repository.js';
import { PolicyVersionRepository } from './policy-version.repository.js';
import type { PolicyVersion, PolicyVersionSummary } from './policy-version.types.js';

/** A positive number that fits into an `integer` column. */
const VERSION = /^[1-9]\d{0,8}$/;

@Injectable()
export class PolicyVersionService {
  constructor(
    private readonly policies: PolicyRepository,
    private readonly versions: PolicyVersionRepository,
  ) {}

  /** Newest first. */
  async list(scope: Scope, policyId: string, page: Page): Promise<PageResult<PolicyVersionSummary>> {
    if (!(await this.policies.exists(scope, policyId))) throw policyNotFound();
    return this.versions.list(scope, policyId, page);
  }

  /** Throws `not_found`, also if `version` is not a number. */
  async read(scope: Scope, policyId: string, version: string): Promise<PolicyVersion> {
    if (!(await this.policies.exists(scope, policyId))) throw policyNotFound();
    const found = VERSION.test(version) ? await this.find(scope, policyId, Number(version)) : undefined;
    if (found === undefined) throw policyVersionNotFound();
    return found;
  }

  /** Returns the version even if the policy was deleted. */
  async find(scope: Scope, policyId: string, version: number): Promise<PolicyVersion | undefined> {
    return this.versions.find(scope, policyId, version);
  }
}
