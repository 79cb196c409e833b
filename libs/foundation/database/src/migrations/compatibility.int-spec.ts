import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@app/testing';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { FIRST_CHANGE, LAST_RELEASED, numberOf, type Contracting } from './history.js';
import { migrations } from './index.js';

type Migration = (new () => MigrationInterface) & Partial<Contracting>;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Whether inserts may leave it out although it is required. */
  readonly filled: boolean;
}

/** A constraint or a unique index. */
interface Rule {
  readonly table: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly is_unique: boolean;
}

interface Schema {
  readonly columns: ReadonlyMap<string, Column>;
  readonly rules: ReadonlyMap<string, Rule>;
  readonly functions: ReadonlySet<string>;
}

const COLUMNS = `
  SELECT relname AS table, attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS required,
    atthasdef OR attidentity <> '' AS filled
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`;

/** Constraints NOT NULL are properties of their columns. */
const RULES = `
  SELECT relname AS table, concat_ws(' ', 'constraint', conname, pg_get_constraintdef(c.oid)) AS name, conkey AS keys,
    contype IN ('p', 'u') AS is_unique, relation.oid
  FROM pg_constraint c JOIN pg_class relation ON relation.oid = conrelid
  WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL
  SELECT relname, concat_ws(' ', 'index', indexrelid::regclass, pg_get_indexdef(indexrelid)), indkey::smallint[], true,
    relation.oid
  FROM pg_index JOIN pg_class relation ON relation.oid = indrelid
  WHERE relnamespace = 'public'::regnamespace AND indisunique
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))`;

const NAMED_RULES = `
  SELECT rule.table, rule.name, is_unique, ARRAY(
    SELECT attname::text FROM pg_attribute WHERE attrelid = rule.oid AND attnum = ANY(keys)
  ) AS columns FROM (${RULES}) rule`;

const FUNCTIONS = `
  SELECT oid::regprocedure::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace`;

async function schemaOf(runner: QueryRunner): Promise<Schema> {
  const columns = (await runner.query(COLUMNS)) as readonly Column[];
  const rules = (await runner.query(NAMED_RULES)) as readonly Rule[];
  const functions = (await runner.query(FUNCTIONS)) as readonly { readonly name: string }[];
  return {
    columns: new Map(columns.map((column) => [`${column.table}.${column.name}`, column])),
    rules: new Map(rules.map((rule) => [rule.name, rule])),
    functions: new Set(functions.map(({ name }) => name)),
  };
}

/** Returns what statements of processes that know the schema `before` can no longer do with the schema `after`. */
function losses(before: Schema, after: Schema): string[] {
  const tables = new Set([...before.columns.values()].map(({ table }) => table));
  const remaining = new Set([...after.columns.values()].map(({ table }) => table));
  const found = [...tables].filter((table) => !remaining.has(table)).map((table) => `drops the table ${table}`);
  for (const [name, column] of before.columns) {
    const now = after.columns.get(name);
    if (now === undefined) found.push(...(remaining.has(column.table) ? [`drops the column ${name}`] : []));
    else if (now.type !== column.type) found.push(`changes the type of ${name}`);
    else if (now.required && !column.required) found.push(`requires ${name}`);
    else if (now.required && column.filled && !now.filled) found.push(`drops the default of ${name}`);
  }
  for (const [name, { table, required, filled }] of after.columns) {
    const isNew = tables.has(table) && !before.columns.has(name);
    if (isNew && required && !filled) found.push(`adds ${name} without a default`);
  }
  // ON CONFLICT requires a unique index, and the errors of a service depend on the names of constraints.
  for (const [name, { table, is_unique }] of before.rules) {
    if (is_unique && remaining.has(table) && !after.rules.has(name)) found.push(`drops the ${name}`);
  }
  for (const [name, { table, columns }] of after.rules) {
    const isNew = tables.has(table) && !before.rules.has(name);
    if (isNew && !columns.some((column) => isOptional(`${table}.${column}`))) found.push(`adds the ${name}`);
  }
  found.push(...[...before.functions].filter((name) => !after.functions.has(name)).map((name) => `drops ${name}`));
  return found;

  /** Whether the column is null in the rows of processes that know the schema `before`. */
  function isOptional(name: string): boolean {
    return !before.columns.has(name) && after.columns.get(name)?.required === false;
  }
}

/** Runs a migration. Returns why the version before cannot serve after it; empty if it can, or if that is declared. */
async function faultsOf(migration: Migration, runner: QueryRunner): Promise<string[]> {
  const before = await schemaOf(runner);
  await new migration().up(runner);
  const lost = losses(before, await schemaOf(runner));
  if (lost.length === 0) return [];
  const { contracts } = migration;
  if (contracts === undefined) return lost.map((loss) => `${migration.name} ${loss}`);
  const isReleased =
    migrations.some(({ name }) => name === contracts) && numberOf(contracts) <= numberOf(LAST_RELEASED);
  return isReleased ? [] : [`${migration.name} contracts ${contracts}, which is not a released migration`];
}

describe('processes of the version before', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let runner: QueryRunner;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource({ type: 'postgres', url: database.url, installExtensions: false }).initialize();
    runner = dataSource.createQueryRunner();
  });

  afterAll(async () => {
    await runner.release();
    await dataSource.destroy();
    await database.drop();
  });

  /** Returns the faults of a migration with these statements, which is undone. */
  async function faultsOfStatements(statements: string, contracts?: string): Promise<string[]> {
    class Change {
      static readonly contracts = contracts;
      async up(): Promise<void> {
        await runner.query(statements);
      }
      async down(): Promise<void> {}
    }
    await runner.startTransaction();
    return faultsOf(Change as Migration, runner).finally(() => runner.rollbackTransaction());
  }

  it('can serve after each migration that does not declare which earlier one it completes', async () => {
    await runner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const faults: string[] = [];
    for (const migration of migrations) {
      if (numberOf(migration.name) < FIRST_CHANGE) await new migration().up(runner);
      else faults.push(...(await faultsOf(migration, runner)));
    }
    expect(faults).toEqual([]);
  });

  it.each([
    ['CREATE TABLE parcels (id text PRIMARY KEY, weight integer NOT NULL); CREATE INDEX ON parcels (weight)'],
    ["ALTER TABLE teams ADD COLUMN color text, ADD COLUMN size integer NOT NULL DEFAULT 1, ADD CHECK (color <> '')"],
    ['ALTER TABLE teams ADD COLUMN color text; CREATE UNIQUE INDEX ON teams (organization_id, color)'],
    ['CREATE INDEX ON teams (description); DROP INDEX ix_teams_organization_id_name'],
    ['ALTER TABLE teams ALTER COLUMN name DROP NOT NULL'],
  ])('can serve after %s', async (statements) => {
    expect(await faultsOfStatements(statements)).toEqual([]);
  });

  it.each([
    ['DROP TABLE skill_associations', ['drops the table skill_associations']],
    ['ALTER TABLE skill_associations RENAME TO skill_uses', ['drops the table skill_associations']],
    ['ALTER TABLE teams DROP COLUMN description', ['drops the column teams.description']],
    ['ALTER TABLE teams RENAME COLUMN description TO summary', ['drops the column teams.description']],
    ['ALTER TABLE workers ALTER COLUMN exit_code TYPE bigint', ['changes the type of workers.exit_code']],
    ["UPDATE teams SET runtime = ''; ALTER TABLE teams ALTER COLUMN runtime SET NOT NULL", ['requires teams.runtime']],
    ['ALTER TABLE workers ALTER COLUMN dormant DROP DEFAULT', ['drops the default of workers.dormant']],
    ['ALTER TABLE teams ADD COLUMN color text NOT NULL', ['adds teams.color without a default']],
    ["ALTER TABLE teams ADD CONSTRAINT short CHECK (name < 'z')", ['adds the constraint short']],
    ['CREATE UNIQUE INDEX uq_color ON teams (name)', ['adds the index uq_color']],
    ['ALTER TABLE secrets DROP CONSTRAINT pk_secrets', ['drops the constraint pk_secrets']],
    ['DROP FUNCTION add_usage(json, json)', ['drops add_usage(json,json)']],
  ])('cannot serve after %s', async (statements, expected) => {
    const faults = await faultsOfStatements(statements);
    expect(faults).toEqual(expected.map((loss) => expect.stringContaining(`Change ${loss}`)));
  });

  it('need nothing that a released migration has made unnecessary, if a later one declares that', async () => {
    const statement = 'ALTER TABLE teams DROP COLUMN description';
    expect(await faultsOfStatements(statement, LAST_RELEASED)).toEqual([]);
    const unreleased = 'Change contracts Later1900000000000, which is not a released migration';
    expect(await faultsOfStatements(statement, 'Later1900000000000')).toEqual([unreleased]);
  });
});
