import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Knowledge entries and their search vectors. A trigger maintains the vectors in a separate table, so that no statement
 * reads them unintentionally. A vector contains the id of the organization as a word, and a search requires that word:
 * the index thus finds the entries of one organization without reading those of others. A vector has at most 1 MiB; of
 * an entry with more distinct words, only the beginning of the content is indexed. A search has the syntax of web
 * search engines; if it has too many consecutive operators, only its words are searched. The column
 * with the organization limits a search to the newest matches.
 */
export class Knowledge1800000058000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE knowledge (
        id text NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        description text,
        content text,
        tags text[] NOT NULL,
        metadata json NOT NULL,
        created_by text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_knowledge PRIMARY KEY (id)
      );
      CREATE INDEX ix_knowledge_organization_id_created_at ON knowledge (organization_id, created_at);
      CREATE INDEX ix_knowledge_tags ON knowledge USING gin (tags);

      CREATE TABLE knowledge_vectors (
        knowledge_id text NOT NULL,
        vector tsvector NOT NULL,
        organization_id text NOT NULL,
        CONSTRAINT pk_knowledge_vectors PRIMARY KEY (knowledge_id),
        CONSTRAINT fk_knowledge_vectors_knowledge_id FOREIGN KEY (knowledge_id) REFERENCES knowledge (id) ON DELETE CASCADE
      );
      CREATE INDEX ix_knowledge_vectors_vector ON knowledge_vectors USING gin (vector);
      CREATE INDEX ix_knowledge_vectors_organization_id ON knowledge_vectors (organization_id, knowledge_id);

      CREATE FUNCTION knowledge_vector(entry knowledge) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
      DECLARE
        heading tsvector := array_to_tsvector(ARRAY[entry.organization_id])
          || setweight(to_tsvector('english', entry.name), 'A')
          || setweight(to_tsvector('english', array_to_string(entry.tags, ' ')), 'B')
          || setweight(to_tsvector('english', coalesce(entry.description, '')), 'B');
        body text := coalesce(entry.content, '');
      BEGIN
        LOOP
          BEGIN
            RETURN heading || to_tsvector('english', body);
          EXCEPTION WHEN program_limit_exceeded THEN
            body := left(body, char_length(body) / 2);
          END;
        END LOOP;
      END $$;

      CREATE FUNCTION knowledge_query(words text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE AS $$
      BEGIN
        RETURN websearch_to_tsquery('english', words);
      EXCEPTION WHEN internal_error OR program_limit_exceeded THEN
        RETURN plainto_tsquery('english', words);
      END $$;

      CREATE FUNCTION store_knowledge_vector() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO knowledge_vectors (knowledge_id, organization_id, vector)
        VALUES (NEW.id, NEW.organization_id, knowledge_vector(NEW))
        ON CONFLICT (knowledge_id) DO UPDATE SET vector = EXCLUDED.vector;
        RETURN NULL;
      END $$;

      CREATE TRIGGER store_vector AFTER INSERT OR UPDATE OF name, description, content, tags ON knowledge
        FOR EACH ROW EXECUTE FUNCTION store_knowledge_vector();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE knowledge_vectors;
      DROP TRIGGER store_vector ON knowledge;
      DROP FUNCTION store_knowledge_vector;
      DROP FUNCTION knowledge_query;
      DROP FUNCTION knowledge_vector;
      DROP TABLE knowledge;
    `);
  }
}
