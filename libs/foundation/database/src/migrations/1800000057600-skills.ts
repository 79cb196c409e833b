import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Associations are deleted with their agent or team. */
export class Skills1800000057600 implements MigrationInterface {
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE skill_associations; DROP TABLE skills;');
  }
}
