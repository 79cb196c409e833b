import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { policyNotFound, policyVersionNotFound } from './policy.errors.js';
import { PolicyRepository } from './policy.repository.js';
import { PolicyVersionRepository } from './policy-version.repository.js';
import type { PolicyVersion, PolicyVersionSummary } from './policy-version.types.js';

/** As versions are written, within what a column of integers holds. */
const VERSION = /^[1-9]\d{0,8}$/;

/** The history of policies. */
@Injectable()
export class PolicyVersionService {
  constructor(
    private readonly policies: PolicyRepository,
    private readonly versions: PolicyVersionRepository,
  ) {}

  /** Newest first. */
  async list(scope: Scope, policyId: string, page: Page): Promise<Listed<PolicyVersionSummary>> {
    if (!(await this.policies.exists(scope, policyId))) throw policyNotFound();
    return this.versions.list(scope, policyId, page);
  }

  /** Any text may be asked for as version. */
  async read(scope: Scope, policyId: string, version: string): Promise<PolicyVersion> {
    if (!(await this.policies.exists(scope, policyId))) throw policyNotFound();
    const found = VERSION.test(version) ? await this.find(scope, policyId, Number(version)) : undefined;
    if (found === undefined) throw policyVersionNotFound();
    return found;
  }

  /** Also of a policy that was deleted since: what decided once can be looked at for ever. */
  async find(scope: Scope, policyId: string, version: number): Promise<PolicyVersion | undefined> {
    return this.versions.find(scope, policyId, version);
  }
}
