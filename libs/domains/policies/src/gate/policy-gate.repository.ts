import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { PolicySource } from '../policies/policy.types.js';
import { HAS_POLICIES, MAY_APPLY } from './policy-gate.sql.js';

@Injectable()
export class PolicyGateRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether the organization has an enabled policy. For most executions this is the only query about policies. */
  async any({ organizationId }: Scope): Promise<boolean> {
    const [row] = await this.database.shared<{ present: boolean }>(HAS_POLICIES, [organizationId]);
    return row?.present ?? true;
  }

  /**
   * Returns false only if no policy can apply to the subject, because neither the subject nor any entity of the types
   * from which it can inherit, or that it can have as members, has an association.
   */
  async mayApply(
    { organizationId }: Scope,
    { entity_type, entity_id }: PolicySource,
    relatedTypes: readonly string[],
  ): Promise<boolean> {
    const values = [organizationId, relatedTypes, entity_type, entity_id];
    const [row] = await this.database.shared<{ may_apply: boolean }>(MAY_APPLY, values);
    return row?.may_apply ?? true;
  }
}
