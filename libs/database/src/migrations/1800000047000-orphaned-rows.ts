import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = { agent: 'agents', team: 'teams', project: 'projects', environment: 'environments' };

/** Deletes the rows of deleted entities; from now on they are deleted with their entity. */
export class OrphanedRows1800000047000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const owned of ['entity_contexts', 'policy_associations', 'skill_associations']) {
      for (const [type, table] of Object.entries(TABLES)) {
        await runner.query(`
          DELETE FROM ${owned} owned WHERE entity_type = '${type}' AND NOT EXISTS (
            SELECT 1 FROM ${table} entity
            WHERE entity.organization_id = owned.organization_id AND entity.id = owned.entity_id);
        `);
      }
    }
  }

  /** Nothing to restore: the rows had no effect. */
  async down(): Promise<void> {}
}
