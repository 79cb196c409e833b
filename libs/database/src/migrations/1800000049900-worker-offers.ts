import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What workers declare that they can run. Null: unknown, as for the workers that started before. */
export class WorkerOffers1800000049900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workers ADD COLUMN runtimes text[], ADD COLUMN skills text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workers DROP COLUMN skills, DROP COLUMN runtimes');
  }
}
