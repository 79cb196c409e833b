import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { PolicySource } from './policy.types.js';

/** One probe of the index that starts with organisation, type and entity for each line. */
const MAY_APPLY_SQL = `
  SELECT EXISTS (SELECT 1 FROM policy_associations WHERE organization_id = $1 AND entity_type = 'environment' AND enabled)
    OR EXISTS (SELECT 1 FROM policy_associations WHERE organization_id = $1 AND entity_type = 'team' AND enabled)
    OR EXISTS (SELECT 1 FROM policy_associations
               WHERE organization_id = $1 AND entity_type = 'agent' AND entity_id = $2 AND enabled) AS may_apply`;

@Injectable()
export class PolicyGateRepository {
  constructor(private readonly database: Database) {}

  /**
   * False only where no policy can apply to what is started: the organisation has none on environments and teams, and
   * this agent has none. Most starts end their business with policies here.
   */
  async mayApply(scope: Scope, { entity_type, entity_id }: PolicySource): Promise<boolean> {
    const [row] = await this.database.prepared<{ may_apply: boolean }>('policies.may_apply', MAY_APPLY_SQL, [
      scope.organizationId,
      entity_type === 'agent' ? entity_id : null,
    ]);
    return row?.may_apply ?? true;
  }
}
