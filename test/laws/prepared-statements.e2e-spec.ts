import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PreparedStatement } from '@app/database';
import { createTestDatabase, type TestDatabase } from '@app/testing';
import { Client } from 'pg';

const LIBS = join(__dirname, '..', '..', 'libs');

/** Adds what an expanding migration can add to each table. */
const EXPAND = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    LOOP
      EXECUTE format('ALTER TABLE %I ADD COLUMN added text, ADD COLUMN filled integer NOT NULL DEFAULT 0', name);
    END LOOP;
  END $$`;

function isPreparedStatement(value: unknown): value is PreparedStatement {
  const { name, text } = (value ?? {}) as Partial<PreparedStatement>;
  return typeof name === 'string' && typeof text === 'string';
}

async function preparedStatements(): Promise<PreparedStatement[]> {
  const files = readdirSync(LIBS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql.ts'));
  const modules = await Promise.all(files.map(async (file) => (await import(join(LIBS, file))) as object));
  return modules.flatMap((module) => Object.values(module)).filter(isPreparedStatement);
}

describe('the prepared statements of the libs', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** Plans the prepared statement again, with every parameter null. */
  async function plan(name: string): Promise<void> {
    const { rows } = await client.query<{ parameters: number }>(
      'SELECT cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE name = $1',
      [name],
    );
    const values = Array.from({ length: rows[0]?.parameters ?? 0 }, () => 'NULL');
    await client.query(`EXPLAIN EXECUTE ${client.escapeIdentifier(name)}${values.length ? `(${values.join()})` : ''}`);
  }

  it('return the same columns after a migration has added columns to all tables', async () => {
    const statements = await preparedStatements();
    expect(statements.length).toBeGreaterThan(50);
    for (const { name, text } of statements) {
      await client.query(`PREPARE ${client.escapeIdentifier(name)} AS ${text}`);
      await plan(name);
    }
    await client.query(EXPAND);
    const failed: string[] = [];
    for (const { name } of statements) {
      await plan(name).catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
    }
    expect(failed).toEqual([]);
  });
});
