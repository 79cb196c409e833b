import type { PreparedStatement } from '@app/database';

/**
 * Inserts events and their deliveries, except those that a webhook already has. `$1` organization, `$2` execution, `$3`
 * events (`NewEvent`) and `$4` deliveries (`NewDelivery`) as JSON, `$5` now, `$6` time of the first attempt.
 */
export const INSERT_DELIVERIES: PreparedStatement = {
  name: 'webhook_deliveries.insert',
  text: `WITH event AS (
      SELECT * FROM json_to_recordset($3::json) AS event (event_id text, event_type text, body text)
    ), stored AS (
      INSERT INTO webhook_events (organization_id, event_id, body, bytes, created_at)
      SELECT $1, event_id, body, octet_length(body), $5 FROM event
      ON CONFLICT (organization_id, event_id) DO UPDATE SET created_at = EXCLUDED.created_at
    )
    INSERT INTO webhook_deliveries
      (id, organization_id, webhook_id, event_id, event_type, execution_id, status, attempts, next_attempt_at, created_at)
    SELECT delivery.id, $1, delivery.webhook_id, event.event_id, event.event_type, $2, 'pending', 0, $6, $5
    FROM json_to_recordset($4::json) AS delivery (id text, webhook_id text, event_id text)
    JOIN event USING (event_id)
    ON CONFLICT (webhook_id, event_id) DO NOTHING`,
};

/**
 * Inserts failed deliveries without a body, which count as nothing, except those that a webhook already has. Deletes the
 * oldest ones of the organization beyond `$7`. `$1` organization, `$2` execution, `$3` events (`NewEvent`, without the
 * body) and `$4` deliveries (`NewDelivery`) as JSON, `$5` now, `$6` error.
 */
export const INSERT_REFUSED: PreparedStatement = {
  name: 'webhook_deliveries.insert_refused',
  text: `WITH deleted AS (
      DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
        SELECT id FROM webhook_deliveries WHERE organization_id = $1 AND bytes = 0 ORDER BY created_at DESC OFFSET $7
      ))
    )
    INSERT INTO webhook_deliveries
      (id, organization_id, webhook_id, event_id, event_type, execution_id, status, attempts, error, created_at, bytes)
    SELECT delivery.id, $1, delivery.webhook_id, event.event_id, event.event_type, $2, 'failed', 0, $6, $5, 0
    FROM json_to_recordset($4::json) AS delivery (id text, webhook_id text, event_id text)
    JOIN json_to_recordset($3::json) AS event (event_id text, event_type text) USING (event_id)
    ON CONFLICT (webhook_id, event_id) DO NOTHING`,
};

/** Returns the `bytes` that the deliveries and events of an organization count as. `$1` organization. */
export const STORED_BYTES: PreparedStatement = {
  name: 'webhook_storage.read',
  text: 'SELECT bytes::float8 AS bytes FROM webhook_storage WHERE organization_id = $1',
};

/**
 * Claims due deliveries of a webhook, longest due first, and counts the attempt. They become due again at `$5` if their
 * result is not recorded. `$1` organization, `$2` webhook, `$3` now, `$4` limit.
 */
export const CLAIM_DELIVERIES: PreparedStatement = {
  name: 'webhook_deliveries.claim',
  text: `WITH claimed AS (
      UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = $5
      WHERE id = ANY (ARRAY(
        SELECT id FROM webhook_deliveries
        WHERE organization_id = $1 AND webhook_id = $2 AND status = 'pending' AND next_attempt_at <= $3
        ORDER BY next_attempt_at, id LIMIT $4 FOR UPDATE SKIP LOCKED
      ))
      RETURNING id, organization_id, webhook_id, event_id, event_type, execution_id, attempts, body
    )
    SELECT claimed.id, organization_id, claimed.webhook_id, event_id, claimed.event_type, claimed.execution_id,
      claimed.attempts,
      coalesce(claimed.body, event.body) AS body
    FROM claimed LEFT JOIN webhook_events event USING (organization_id, event_id)`,
};

/** Returns the webhooks of an organization with a due delivery, longest due first. `$1` organization, `$2` now. */
export const FIND_DUE_WEBHOOKS: PreparedStatement = {
  name: 'webhook_deliveries.find_due',
  text: `SELECT w.id FROM webhooks w
    CROSS JOIN LATERAL (
      SELECT min(d.next_attempt_at) AS since FROM webhook_deliveries d
      WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= $2
    ) due
    WHERE w.organization_id = $1 AND due.since IS NOT NULL ORDER BY due.since, w.id`,
};

/** Returns each `organization_id` with a due delivery. `$1` now. */
export const FIND_DUE_ORGANIZATIONS: PreparedStatement = {
  name: 'webhook_deliveries.find_due_organizations',
  text: `SELECT DISTINCT w.organization_id FROM webhooks w
    WHERE EXISTS (
      SELECT FROM webhook_deliveries d
      WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= $1
    )`,
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

/**
 * Deletes deliveries of an organization that have ended, oldest first, except refused ones. Returns the `event_id` of each. `$1`
 * organization, `$2` limit.
 */
export const DELETE_ENDED = `
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries WHERE organization_id = $1 AND status <> 'pending' AND bytes > 0
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ))
  RETURNING event_id`;

const WITHOUT_DELIVERIES = `NOT EXISTS (
    SELECT FROM webhook_deliveries d WHERE d.event_id = event.event_id AND d.organization_id = event.organization_id
  )`;

/** Deletes those of the events `$2` (ids) of the organization `$1` that have no deliveries. */
export const DELETE_EVENTS = `
  DELETE FROM webhook_events event WHERE organization_id = $1 AND event_id = ANY ($2) AND ${WITHOUT_DELIVERIES}
  RETURNING 1 AS one`;

/** Deletes events of an organization without deliveries, which were deleted with their webhook. `$1`, `$2` limit. */
export const DELETE_UNUSED_EVENTS = `
  DELETE FROM webhook_events WHERE organization_id = $1 AND event_id = ANY (ARRAY(
    SELECT event_id FROM webhook_events event WHERE organization_id = $1 AND ${WITHOUT_DELIVERIES}
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ))
  RETURNING 1 AS one`;

/**
 * Deletes events without deliveries whose deliveries were inserted before `$1`, oldest first. `$2` limit. An insert that
 * has just renewed the time of an event locks it or makes it too new.
 */
export const PRUNE_EVENTS = `
  DELETE FROM webhook_events WHERE (organization_id, event_id) IN (
    SELECT organization_id, event_id FROM webhook_events event
    WHERE created_at < $1 AND ${WITHOUT_DELIVERIES}
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING 1 AS one`;
