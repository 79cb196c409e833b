import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { StoredPolicy } from './policy.types.js';

/** A policy by itself, whatever it is associated with. */
export type PolicyText = Pick<StoredPolicy, 'id' | 'name' | 'version' | 'enabled' | 'policy_content'>;

@Injectable()
export class PolicyRepository {
  constructor(private readonly database: Database) {}

  /** Those of the ids that exist, in no order. */
  async findTexts(scope: Scope, ids: readonly string[]): Promise<PolicyText[]> {
    return this.database.sql<PolicyText>(
      `SELECT id, name, version, enabled, policy_content FROM policies WHERE organization_id = $1 AND id = ANY($2)`,
      [scope.organizationId, ids],
    );
  }
}
