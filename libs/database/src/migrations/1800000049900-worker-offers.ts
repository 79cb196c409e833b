import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The runtimes and skills that workers declare. Null: unknown, as for workers that started before this migration. */
export class WorkerOffers1800000049900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workers ADD COLUMN runtimes text[], ADD COLUMN skills text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workers DROP COLUMN skills, DROP COLUMN runtimes');
  }
}
