import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The dropped columns named no skill, because none could be created before. */
export class Skills1800000032000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE skills (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        description text,
        icon text,
        enabled boolean NOT NULL,
        configuration json NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_skills PRIMARY KEY (id)
      );
      CREATE INDEX ix_skills_organization_id_created_at ON skills (organization_id, created_at);
      CREATE TABLE skill_associations (
        organization_id text NOT NULL,
        entity_type text NOT NULL,
        entity_id text NOT NULL,
        skill_id text NOT NULL,
        position integer NOT NULL,
        configuration_override json NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_skill_associations PRIMARY KEY (organization_id, entity_type, entity_id, skill_id),
        CONSTRAINT fk_skill_associations_skill_id FOREIGN KEY (skill_id) REFERENCES skills (id)
      );
      CREATE INDEX ix_skill_associations_skill_id ON skill_associations (skill_id);
      ALTER TABLE agents DROP COLUMN skill_ids;
      ALTER TABLE teams DROP COLUMN skill_ids;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE agents ADD COLUMN skill_ids text[] NOT NULL DEFAULT '{}';
      ALTER TABLE teams ADD COLUMN skill_ids text[] NOT NULL DEFAULT '{}';
      ALTER TABLE agents ALTER COLUMN skill_ids DROP DEFAULT;
      ALTER TABLE teams ALTER COLUMN skill_ids DROP DEFAULT;
      DROP TABLE skill_associations;
      DROP TABLE skills;
    `);
  }
}
