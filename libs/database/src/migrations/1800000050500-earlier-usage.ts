import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `earlier_usage`: the usage of the ended attempts of an execution, with the columns that are derived from it; null
 * without ended attempts. `add_usage` adds a reported usage to it: the sum if both values are numbers, otherwise the
 * reported value, or the earlier one if none is reported. Numbers beyond 1e15 are not summed: they are wrong, and their
 * sum may have no JSON form.
 */
export class EarlierUsage1800000050500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions ADD COLUMN earlier_usage json;
      CREATE FUNCTION add_usage(earlier json, reported json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
        SELECT coalesce(json_object_agg(key, CASE
          WHEN json_typeof(e.value) = 'number' AND json_typeof(r.value) = 'number' THEN CASE
            WHEN greatest(abs((e.value #>> '{}')::float8), abs((r.value #>> '{}')::float8)) <= 1e15
            THEN to_json((e.value #>> '{}')::float8 + (r.value #>> '{}')::float8) ELSE r.value END
          ELSE coalesce(r.value, e.value) END), '{}')
        FROM json_each(earlier) e FULL JOIN json_each(reported) r USING (key)
      $$;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION add_usage(json, json); ALTER TABLE executions DROP COLUMN earlier_usage;');
  }
}
