import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'ix_executions_commands';

/** Each poll and heartbeat of a worker reads its commands, which are few: the index is empty most of the time. */
export class CommandsOfWorkers1800000091000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An interrupted build leaves an index that no statement uses.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${NAME} ON executions (organization_id, lease_worker_id)
      WHERE command IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
