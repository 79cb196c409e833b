import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EntityContexts1800000033000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE entity_contexts (
        organization_id text NOT NULL,
        entity_type text NOT NULL,
        entity_id text NOT NULL,
        knowledge_uuids text[] NOT NULL,
        resource_ids text[] NOT NULL,
        policy_ids text[] NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_entity_contexts PRIMARY KEY (organization_id, entity_type, entity_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE entity_contexts;');
  }
}
