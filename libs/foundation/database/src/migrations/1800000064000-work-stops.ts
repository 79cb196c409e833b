import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The queues, workers and jobs that were paused, disconnected or disabled recently. The statements that lease and start
 * executions check this table.
 */
export class WorkStops1800000064000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE work_stops (
        organization_id text NOT NULL,
        id text NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_work_stops PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX ix_work_stops_expires_at ON work_stops (expires_at);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE work_stops;');
  }
}
