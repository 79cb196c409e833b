import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who last changed an agent, a team or a workflow; null for changes before this migration. */
export class EntityChanges1800000067000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE agents ADD COLUMN updated_by text, ADD COLUMN updated_by_email text;
      ALTER TABLE teams ADD COLUMN updated_by text, ADD COLUMN updated_by_email text;
      ALTER TABLE workflows ADD COLUMN updated_by_email text;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workflows DROP COLUMN updated_by_email;
      ALTER TABLE teams DROP COLUMN updated_by_email, DROP COLUMN updated_by;
      ALTER TABLE agents DROP COLUMN updated_by_email, DROP COLUMN updated_by;`);
  }
}
