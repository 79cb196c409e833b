import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The search by name reads the names of an organization in this order, the shortest first, and ends when it has found
 * enough of them; without this index it reads every row. The tables are those of which an organization can have many
 * thousands of rows. The names of jobs have no maximum length, but an entry of an index has one.
 */
const INDEXES = {
  ix_agents_organization_id_length_of_name: 'agents (organization_id, length(name), name, id)',
  ix_jobs_organization_id_length_of_name: 'jobs (organization_id, length(name), name, id) WHERE length(name) <= 255',
  ix_jobs_organization_id_long_name: 'jobs (organization_id) WHERE length(name) > 255',
  ix_knowledge_organization_id_length_of_name: 'knowledge (organization_id, length(name), name, id)',
  ix_worker_queues_organization_id_length_of_name: 'worker_queues (organization_id, length(name), name, id)',
};

export class NamesInOrder1800000092000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, entries] of Object.entries(INDEXES)) {
      // An interrupted build leaves an index that no statement uses.
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${entries}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}
