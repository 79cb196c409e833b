import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the organization to the search vectors of knowledge, so that a search can be limited to the newest matches. */
export class KnowledgeSearchScope1800000034400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE knowledge_vectors ADD COLUMN organization_id text;
      UPDATE knowledge_vectors SET organization_id = knowledge.organization_id
        FROM knowledge WHERE knowledge.id = knowledge_vectors.knowledge_id;
      ALTER TABLE knowledge_vectors ALTER COLUMN organization_id SET NOT NULL;
      CREATE INDEX ix_knowledge_vectors_organization_id ON knowledge_vectors (organization_id, knowledge_id);

      CREATE OR REPLACE FUNCTION store_knowledge_vector() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO knowledge_vectors (knowledge_id, organization_id, vector)
        VALUES (NEW.id, NEW.organization_id, knowledge_vector(NEW))
        ON CONFLICT (knowledge_id) DO UPDATE SET vector = EXCLUDED.vector;
        RETURN NULL;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION store_knowledge_vector() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO knowledge_vectors (knowledge_id, vector) VALUES (NEW.id, knowledge_vector(NEW))
        ON CONFLICT (knowledge_id) DO UPDATE SET vector = EXCLUDED.vector;
        RETURN NULL;
      END $$;
      DROP INDEX ix_knowledge_vectors_organization_id;
      ALTER TABLE knowledge_vectors DROP COLUMN organization_id;
    `);
  }
}
