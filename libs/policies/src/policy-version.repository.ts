import { Database } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { PolicyVersionEntity } from './policy-version.entity.js';
import type { PolicyVersion, PolicyVersionSummary } from './policy-version.types.js';

@Injectable()
export class PolicyVersionRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, version: Omit<PolicyVersion, 'organization_id'>): Promise<void> {
    await this.database.insert(PolicyVersionEntity, { ...version, organization_id: scope.organizationId });
  }

  /** Newest first. */
  async list(scope: Scope, policyId: string, page: Page): Promise<Listed<PolicyVersionSummary>> {
    const [items, total] = await this.database.repository(PolicyVersionEntity).findAndCount({
      select: {
        policy_id: true,
        version: true,
        organization_id: true,
        name: true,
        description: true,
        enabled: true,
        tags: true,
        policy_type: true,
        metadata: true,
        created_by: true,
        created_at: true,
      },
      where: { organization_id: scope.organizationId, policy_id: policyId },
      order: { version: 'DESC' },
      skip: page.skip,
      take: page.limit,
    });
    return { items, total };
  }

  async find(scope: Scope, policyId: string, version: number): Promise<PolicyVersion | undefined> {
    const where = { organization_id: scope.organizationId, policy_id: policyId, version };
    return this.database.findOne(PolicyVersionEntity, where);
  }
}
