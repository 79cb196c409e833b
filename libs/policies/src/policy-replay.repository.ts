import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { PolicyVersion } from './policy-version.types.js';

export type VersionText = Pick<PolicyVersion, 'policy_id' | 'version' | 'policy_content'>;

@Injectable()
export class PolicyReplayRepository {
  constructor(private readonly database: Database) {}

  /** Those of the versions that exist, also of policies that were deleted; in no order. */
  async findTexts(
    scope: Scope,
    versions: readonly Pick<PolicyVersion, 'policy_id' | 'version'>[],
  ): Promise<VersionText[]> {
    return this.database.sql<VersionText>(
      `SELECT policy_id, version, policy_content FROM policy_versions
       WHERE organization_id = $1
         AND (policy_id, version) IN (SELECT * FROM unnest($2::text[], $3::integer[]))`,
      [scope.organizationId, versions.map(({ policy_id }) => policy_id), versions.map(({ version }) => version)],
    );
  }
}
