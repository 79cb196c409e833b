import type { PreparedStatement } from '@app/database';
import { EXECUTION_WITH_CONFIG } from '../executions/execution-columns.sql.js';
import { IS_OPEN } from '../executions/execution-state.sql.js';

/**
 * Returns an `ExecutionWithConfig` with attempt, holder and expiry, if the token is its current one. `$1` organization,
 * `$2` execution, `$3` token.
 */
export const FIND_HELD_EXECUTION: PreparedStatement = {
  name: 'execution.find_held',
  text: `SELECT ${EXECUTION_WITH_CONFIG}, e.attempt, e.lease_worker_id, e.lease_expires_at FROM executions e
    WHERE e.organization_id = $1 AND e.id = $2 AND e.lease_token = $3`,
};

/**
 * Stores a plan and the entity that it chooses, unless the execution has ended or has an entity. `$1` organization,
 * `$2` execution, `$3` token, `$4` kind, `$5` id, `$6` name, `$7` prompt or null, `$8` callable, `$9` plan, `$10`
 * metadata, `$11` now.
 */
export const STORE_PLAN: PreparedStatement = {
  name: 'execution.store_plan',
  text: `UPDATE executions SET execution_type = $4, entity_id = $5, entity_name = $6, prompt = coalesce($7, prompt),
      callable = $8, plan = $9, execution_metadata = $10, updated_at = $11
    WHERE organization_id = $1 AND id = $2 AND lease_token = $3 AND entity_id IS NULL AND plan IS NULL AND ${IS_OPEN}
    RETURNING 1 AS one`,
};
