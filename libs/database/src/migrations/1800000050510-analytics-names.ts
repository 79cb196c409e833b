import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of usage by agent, team and model, instead of by each combination of them, and with a bound on the names: the
 * number of rows that a summary reads no longer grows with the names that clients choose. `analytics_names` has the first
 * 1,000 names of each kind that an organization uses in 30 days; other names count only in the totals. Of the names in
 * the existing sums, it has those with the highest cost, then with the most tokens, then with the most executions.
 */
export class AnalyticsNames1800000050510 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${LOCK}
      CREATE TABLE analytics_names (
        organization_id text NOT NULL,
        at timestamptz(3) NOT NULL,
        kind text NOT NULL,
        name text NOT NULL,
        number integer NOT NULL,
        CONSTRAINT pk_analytics_names PRIMARY KEY (organization_id, at, kind, name)
      );
      CREATE UNIQUE INDEX uq_analytics_names_number ON analytics_names (organization_id, at, kind, number);
      CREATE TABLE usage_totals (
        organization_id text NOT NULL,
        seconds integer NOT NULL,
        at timestamptz(3) NOT NULL,
        kind text NOT NULL,
        key text NOT NULL,
        status text NOT NULL,
        executions bigint NOT NULL,
        input_tokens numeric NOT NULL,
        output_tokens numeric NOT NULL,
        total_tokens numeric NOT NULL,
        cost_nanos numeric NOT NULL,
        CONSTRAINT pk_usage_totals PRIMARY KEY (organization_id, seconds, at, kind, key, status)
      ) WITH (fillfactor = 80);
      INSERT INTO analytics_names (organization_id, at, kind, name, number)
      SELECT organization_id, at, kind, key, rank FROM (
        SELECT organization_id, at, kind, key, row_number() OVER (
          PARTITION BY organization_id, at, kind
          ORDER BY sum(cost_nanos) DESC, sum(total_tokens) DESC, sum(executions) DESC, key
        ) AS rank FROM (${GROUPS}) groups WHERE kind <> 'all' AND seconds = ${NAMES_SECONDS} GROUP BY 1, 2, 3, 4
      ) ranked WHERE rank <= ${MAX_NAMES};
      INSERT INTO usage_totals
      SELECT organization_id, seconds, at, kind, key, status, ${SUMS} FROM (${GROUPS}) groups
      WHERE kind = 'all' OR ${isNamed('groups', 'key')} GROUP BY 1, 2, 3, 4, 5, 6;
      DROP TABLE execution_usage;
      INSERT INTO analytics_names (organization_id, at, kind, name, number)
      SELECT organization_id, at, kind, status, rank FROM (
        SELECT organization_id, at, kind, status, row_number() OVER (
          PARTITION BY organization_id, at, kind ORDER BY records DESC, status
        ) AS rank FROM record_totals WHERE status <> '' AND seconds = ${NAMES_SECONDS}
      ) ranked WHERE rank <= ${MAX_NAMES};
      WITH unnamed AS (
        DELETE FROM record_totals WHERE status <> '' AND NOT ${isNamed('record_totals', 'status')} RETURNING *
      )
      INSERT INTO record_totals SELECT organization_id, seconds, at, kind, '', sum(records) FROM unnamed GROUP BY 1, 2, 3, 4
      ON CONFLICT (organization_id, seconds, at, kind, status)
        DO UPDATE SET records = record_totals.records + excluded.records;
    `);
  }

  /** The combinations of agents, teams and models are lost: only the sums over all executions are restored. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE execution_usage (
        organization_id text NOT NULL,
        seconds integer NOT NULL,
        at timestamptz(3) NOT NULL,
        execution_type text NOT NULL,
        entity_id text NOT NULL,
        model text NOT NULL,
        status text NOT NULL,
        executions bigint NOT NULL,
        input_tokens numeric NOT NULL,
        output_tokens numeric NOT NULL,
        total_tokens numeric NOT NULL,
        cost_nanos numeric NOT NULL,
        CONSTRAINT pk_execution_usage
          PRIMARY KEY (organization_id, seconds, at, execution_type, entity_id, model, status)
      ) WITH (fillfactor = 80);
      INSERT INTO execution_usage
      SELECT organization_id, seconds, at, '', '', '', status, ${COLUMNS.join(', ')} FROM usage_totals WHERE kind = 'all';
      DROP TABLE usage_totals;
      DROP TABLE analytics_names;
    `);
  }
}

/**
 * Without the lock, what a process of an earlier version adds to the sums during the copy would be lost. After the
 * migration, such a process can no longer add facts; they remain until a process of this version adds them.
 */
const LOCK = 'LOCK TABLE execution_usage, record_totals IN SHARE ROW EXCLUSIVE MODE;';
const MAX_NAMES = 1000;
const NAMES_SECONDS = 2_592_000;
const COLUMNS = ['executions', 'input_tokens', 'output_tokens', 'total_tokens', 'cost_nanos'];
const SUMS = COLUMNS.map((column) => `sum(${column})`).join(', ');
const GROUPS = `
  SELECT organization_id, seconds, at, kind, key, status, ${COLUMNS.join(', ')} FROM execution_usage CROSS JOIN LATERAL (
    VALUES ('all', ''), (execution_type, CASE WHEN execution_type IN ('agent', 'team') THEN entity_id END), ('model', model)
  ) counted (kind, key) WHERE kind = 'all' OR key <> ''`;

/** Condition: the row of this table has an admitted name. */
function isNamed(table: string, name: string): string {
  return `EXISTS (
    SELECT 1 FROM analytics_names n WHERE n.organization_id = ${table}.organization_id AND n.kind = ${table}.kind
      AND n.name = ${table}.${name}
      AND n.at = to_timestamp(floor(extract(epoch FROM ${table}.at) / ${NAMES_SECONDS}) * ${NAMES_SECONDS})
  )`;
}
