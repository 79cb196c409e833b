import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['agents', 'jobs', 'teams', 'workflows'];

/**
 * The number of changes of a row. Every statement that sets `updated_at` is a change, and no statement of a run sets it,
 * so that a trigger also counts the changes by processes of earlier versions.
 */
export class Revisions1800000068000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.revision := OLD.revision + 1;
        RETURN NEW;
      END $$;`);
    for (const table of TABLES) {
      await runner.query(`
        ALTER TABLE ${table} ADD COLUMN revision integer NOT NULL DEFAULT 1;
        CREATE TRIGGER tr_${table}_revision BEFORE UPDATE OF updated_at ON ${table}
          FOR EACH ROW EXECUTE FUNCTION count_revision();`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`
        DROP TRIGGER tr_${table}_revision ON ${table};
        ALTER TABLE ${table} DROP COLUMN revision;`);
    }
    await runner.query('DROP FUNCTION count_revision();');
  }
}
