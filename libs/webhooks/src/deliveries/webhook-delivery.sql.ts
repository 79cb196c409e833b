import type { PreparedStatement } from '@app/database';

/**
 * Inserts deliveries, except those whose event the webhook already has. `$1` rows (`NewDelivery`) as JSON, `$2` now,
 * `$3` time of the first attempt.
 */
export const INSERT_DELIVERIES: PreparedStatement = {
  name: 'webhook_deliveries.insert',
  text: `INSERT INTO webhook_deliveries
      (id, organization_id, webhook_id, event_id, event_type, execution_id, body, status, attempts, next_attempt_at, created_at)
    SELECT id, organization_id, webhook_id, event_id, event_type, execution_id, body, 'pending', 0, $3, $2
    FROM json_populate_recordset(NULL::webhook_deliveries, $1::json)
    ON CONFLICT (webhook_id, event_id) DO NOTHING`,
};

/**
 * Claims due deliveries of a webhook, longest due first, and counts the attempt. They become due again at `$5` if their
 * result is not recorded. `$1` organization, `$2` webhook, `$3` now, `$4` limit.
 */
export const CLAIM_DELIVERIES: PreparedStatement = {
  name: 'webhook_deliveries.claim',
  text: `UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = $5
    WHERE id = ANY (ARRAY(
      SELECT id FROM webhook_deliveries
      WHERE organization_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at <= $3
      ORDER BY next_attempt_at, id LIMIT $4 FOR UPDATE SKIP LOCKED
    ))
    RETURNING id, organization_id, webhook_id, event_id, attempts, body`,
};

/** Returns webhooks with a due delivery, longest due first, as `WebhookRef`. `$1` now, `$2` limit. */
export const FIND_DUE_WEBHOOKS: PreparedStatement = {
  name: 'webhook_deliveries.find_due',
  text: `SELECT w.organization_id AS "organizationId", w.id AS "webhookId" FROM webhooks w
    CROSS JOIN LATERAL (
      SELECT min(d.next_attempt_at) AS since FROM webhook_deliveries d
      WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= $1
    ) due
    WHERE due.since IS NOT NULL ORDER BY due.since, w.id LIMIT $2`,
};

/**
 * Makes ended deliveries of a webhook due again, oldest first. `$1` organization, `$2` webhook, `$3` from, `$4` to
 * (exclusive), `$5` status, `$6` now, `$7` limit.
 */
export const REPLAY_DELIVERIES = `
  UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = $6
  WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries
    WHERE organization_id = $1 AND webhook_id = $2 AND created_at >= $3 AND created_at < $4 AND status = $5
    ORDER BY created_at, id LIMIT $7 FOR UPDATE SKIP LOCKED
  ))
  RETURNING 1 AS one`;

/**
 * Ends pending deliveries of a webhook, except those that another transaction has locked. `$1` organization, `$2`
 * webhook, `$3` error, `$4` limit.
 */
export const FAIL_PENDING = `
  UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, error = $3
  WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries
    WHERE organization_id = $1 AND webhook_id = $2 AND status = 'pending' LIMIT $4 FOR UPDATE SKIP LOCKED
  ))
  RETURNING 1 AS one`;

/**
 * Returns active webhooks with more than `$1` pending deliveries, as `WebhookRef`. Reads at most `$1` + 1 rows of each.
 */
export const FIND_OVERFULL_WEBHOOKS = `
  SELECT w.organization_id AS "organizationId", w.id AS "webhookId" FROM webhooks w
  WHERE w.status = 'active' AND EXISTS (
    SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending'
    ORDER BY d.next_attempt_at OFFSET $1
  )`;

/** Deletes deliveries that have ended, and were created before `$1`, oldest first. `$2` limit. */
export const PRUNE_DELIVERIES = `
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries WHERE created_at < $1 AND status <> 'pending'
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ))
  RETURNING 1 AS one`;
