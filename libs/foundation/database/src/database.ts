import { decodeCursor, encodeCursor, type Page, type PageResult, type Patch, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { QueryResult, QueryResultRow } from 'pg';
import type {
  DataSource,
  EntityManager,
  EntityTarget,
  FindOptionsWhere,
  InsertQueryBuilder,
  ObjectLiteral,
  QueryRunner,
  Repository,
  SelectQueryBuilder,
  UpdateQueryBuilder,
} from 'typeorm';
import { pageTooLarge, setTooLarge } from './lists/bounded-page.js';
import { BoundedReads } from './lists/bounded-reads.js';
import { ConnectionShares } from './pool/connection-shares.js';
import { acceptsWrites, clientOf, LONG_READS, poolOf, useOf, type PoolUse } from './pool/connections.js';
import {
  countStatement,
  countUpToStatement,
  listingOf,
  positionOf,
  statementOf,
  withoutPosition,
  type PositionedRow,
  type Statement,
} from './lists/list-statement.js';
import { COUNT_MISSING_MIGRATIONS } from './migrations.sql.js';
import { migrations } from './migrations/index.js';
import { isConnectionUnusable, rejectWrongKeys, retryCollision } from './postgres-errors.js';
import { inSavepoint } from './savepoint.js';
import { cancelledBy, isLongRead, queryUntil, statementEnd, until } from './pool/statement-end.js';
import { PROBE_DISK } from './pool/writes.sql.js';
import { TurnReads, type PreparedStatement } from './pool/turn-reads.js';
import { transactions, type Transaction } from './transactions.js';

/** Minimum number of organizations that can together hold all connections of the pool in `transactionOf`. */
const ORGANIZATIONS_PER_POOL = 4;

/**
 * Access to PostgreSQL and the unit of work. A transaction belongs to the asynchronous context that opened it: every
 * repository called inside `transaction` takes part in it, and a nested `transaction` joins the outer one, so the
 * writes of different repositories commit together.
 */
@Injectable()
export class Database {
  private readonly logger = createLogger('database');
  private readonly bounded = new BoundedReads({
    fields: async (text, values) => (await this.run({ text, values: [...values] })).fields,
    sql: (text, values) => this.sql(text, values),
    shared: (statement, values) => this.shared(statement, values),
  });
  private reads: TurnReads | undefined;
  private shares: ConnectionShares | undefined;

  constructor(
    @InjectDataSource() readonly dataSource: DataSource,
    @InjectDataSource(LONG_READS) private readonly longReads: DataSource,
  ) {}

  /** TypeORM's manager of the current transaction; outside a transaction, of the pool that long reads do not use. */
  get manager(): EntityManager {
    return this.current?.runner.manager ?? this.dataSource.manager;
  }

  repository<T extends ObjectLiteral>(entity: EntityTarget<T>): Repository<T> {
    return this.manager.getRepository(entity);
  }

  /** Returns a query for the rows that match `where`, for further conditions, `listPage` or `rows`. */
  select<T extends ObjectLiteral>(
    entity: EntityTarget<T>,
    alias: string,
    where: FindOptionsWhere<T>,
  ): SelectQueryBuilder<T> {
    return this.repository(entity).createQueryBuilder(alias).where(where);
  }

  /** Inserts one row and returns it unchanged. */
  async insert<T extends ObjectLiteral, Row extends T>(entity: EntityTarget<T>, row: Row): Promise<Row> {
    // TypeORM would otherwise write the defaults of omitted columns into the row.
    const insert = (): InsertQueryBuilder<T> =>
      this.repository(entity).createQueryBuilder().insert().updateEntity(false);
    await this.write(() => insert().values(row).execute());
    return row;
  }

  /** Inserts one row; does nothing if it would violate a unique constraint. */
  async insertIfMissing<T extends ObjectLiteral>(entity: EntityTarget<T>, row: T): Promise<void> {
    await this.write(() => this.repository(entity).createQueryBuilder().insert().values(row).orIgnore().execute());
  }

  /** Returns the row that matches, or undefined. */
  async findOne<T extends ObjectLiteral>(
    entity: EntityTarget<T>,
    where: FindOptionsWhere<T> | FindOptionsWhere<T>[],
  ): Promise<T | undefined> {
    return (await this.repository(entity).findOneBy(where)) ?? undefined;
  }

  /** Like `findOne`, and locks the row until the transaction ends. Throws outside a transaction. */
  async lockOne<T extends ObjectLiteral>(entity: EntityTarget<T>, where: FindOptionsWhere<T>): Promise<T | undefined> {
    const query = this.select(entity, 'locked', where).setLock('pessimistic_write');
    return (await query.getOne()) ?? undefined;
  }

  /** Updates one row and returns the new values, or undefined if no row matches. */
  async update<T extends ObjectLiteral>(
    entity: EntityTarget<T>,
    where: FindOptionsWhere<T>,
    changes: Patch<T>,
  ): Promise<T | undefined> {
    const repository = this.repository(entity);
    const read = repository.metadata.columns.filter(({ isSelect }) => isSelect).map(({ propertyName }) => propertyName);
    const update = (): UpdateQueryBuilder<T> => repository.createQueryBuilder().update();
    const result = await this.write(() => update().set(changes).where(where).returning(read).execute());
    return (result.raw as T[])[0];
  }

  /** Deletes the rows that match. Returns whether one existed. */
  async delete<T extends ObjectLiteral>(entity: EntityTarget<T>, where: FindOptionsWhere<T>): Promise<boolean> {
    const result = await this.write(() => this.repository(entity).delete(where));
    return (result.affected ?? 0) > 0;
  }

  /**
   * Returns one page of a list, the number of rows in the complete list and the cursor of the next page. The query has the
   * conditions and the order, to which the primary key is appended, so that pages never overlap. Rows have the entity's
   * columns and those of `addSelect`. Joins must not multiply rows. Throws `invalid` if the page exceeds the bound of
   * `boundedRows`, and for a cursor that is damaged or of another list. `total` replaces the count.
   */
  async listPage<T extends ObjectLiteral, Row extends QueryResultRow = T>(
    query: SelectQueryBuilder<T>,
    page: Page,
    total: () => Promise<number> = () => this.count(query),
  ): Promise<PageResult<Row>> {
    const listing = listingOf(query);
    const { identity, keyCount } = listing;
    const after = page.cursor === undefined ? undefined : decodeCursor(page.cursor, identity, keyCount);
    const listed = this.boundedRows<PositionedRow<Row>>(page.limit, listing.statement(page, after));
    const [rows, counted] = await Promise.all([
      after === undefined ? listed : rejectWrongKeys(listed),
      page.total === false ? undefined : total(),
    ]);
    const last = rows.at(-1);
    const next = last?.page_more === true ? encodeCursor(identity, positionOf(last, keyCount)) : undefined;
    return { items: rows.map((row) => withoutPosition<Row>(row, keyCount)), total: counted, nextCursor: next };
  }

  /** Returns the number of rows that match the query. */
  async count<T extends ObjectLiteral>(query: SelectQueryBuilder<T>): Promise<number> {
    const { text, values } = countStatement(query);
    return (await this.sql<{ total: number }>(text, values))[0]?.total ?? 0;
  }

  /** Returns the number of rows that match the query, at most `max`. */
  async countUpTo<T extends ObjectLiteral>(query: SelectQueryBuilder<T>, max: number): Promise<number> {
    const { text, values } = countUpToStatement(query, max);
    return (await this.sql<{ total: number }>(text, values))[0]?.total ?? 0;
  }

  get isInTransaction(): boolean {
    return this.current !== undefined;
  }

  /**
   * Runs `work` in a transaction, or in the current one. Rolls back and rethrows if `work` throws. Runs the outermost
   * `work` a second time after a deadlock or serialization failure: `work` may have effects outside the transaction
   * only after the commit (`afterCommit`).
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.current !== undefined) return work();
    return retryCollision(() => this.commit(work));
  }

  /** Runs reads that all see one snapshot. Inside a transaction, what they see depends on its isolation level. */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    if (this.current !== undefined) return work();
    return this.transaction(async () => {
      await this.sql('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return work();
    });
  }

  /**
   * Runs `work` in a transaction. For work that may wait for something other than PostgreSQL, for example the
   * evaluation of policies, while it holds a connection. One organization holds at most a quarter of the pool this way;
   * its further calls wait without a connection.
   */
  async transactionOf<T>({ organizationId }: Scope, work: () => Promise<T>): Promise<T> {
    if (this.current !== undefined) return work();
    this.shares ??= new ConnectionShares(Math.max(1, Math.floor(this.poolUse.max / ORGANIZATIONS_PER_POOL)));
    return this.shares.run(organizationId, () => this.transaction(work));
  }

  /** Runs `work` in a transaction without a statement timeout: for background maintenance, never for a request. */
  async withoutStatementTimeout<T>(work: () => Promise<T>): Promise<T> {
    return this.transaction(async () => {
      await this.sql('SET LOCAL statement_timeout = 0');
      const runner = this.current?.runner;
      return runner === undefined ? work() : (await clientOf(runner)).withoutResponseTimeout(work);
    });
  }

  /**
   * Runs `work`. If it throws, only its own writes are undone, and the current transaction can continue. Outside a
   * transaction, each of its statements commits immediately.
   */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const transaction = this.current;
    if (transaction === undefined) return work();
    return inSavepoint((statement) => this.sql(statement), transaction.afterCommit, work);
  }

  /**
   * Runs `hook` after the commit of the current transaction, outside a transaction immediately. The hook does not run
   * after a rollback or if the process dies first: work that must happen belongs in the outbox.
   */
  afterCommit(hook: () => void | Promise<void>): void {
    const transaction = this.current;
    if (transaction === undefined) this.runHook(hook);
    else transaction.afterCommit.push(hook);
  }

  /** Like `afterCommit`, but outside a transaction waits for the hook and throws its error. */
  async committed(hook: () => Promise<void>): Promise<void> {
    if (this.current === undefined) await hook();
    else this.afterCommit(hook);
  }

  /** Returns the rows of a query as plain objects, with the entity's columns and those of `addSelect`. */
  async rows<T extends ObjectLiteral, Row extends QueryResultRow = T>(query: SelectQueryBuilder<T>): Promise<Row[]> {
    const { text, values } = statementOf(query);
    return this.sql<Row>(text, values);
  }

  /** Runs a statement in the current transaction and returns its rows. */
  async sql<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.run<Row>({ text, values: [...values] })).rows;
  }

  /** Like `sql`, for hot paths: the statement is prepared once on each connection. */
  async prepared<Row extends QueryResultRow>(statement: PreparedStatement, values: readonly unknown[]): Promise<Row[]> {
    return (await this.run<Row>(poolOf(this.source).preparing({ ...statement, values: [...values] }))).rows;
  }

  /**
   * Like `prepared`, for reads of hot paths that lock no row. Reads that are begun in the same turn of the event loop
   * are sent together at its end, and equal reads share one statement and its rows. Each read sees everything that was
   * committed before the call. Look-ups of long reads use the same connections as others, because they are short.
   */
  async shared<Row extends QueryResultRow>(
    statement: PreparedStatement,
    values: readonly unknown[],
  ): Promise<readonly Readonly<Row>[]> {
    if (this.current !== undefined) return this.prepared<Row>(statement, values);
    this.reads ??= new TurnReads(poolOf(this.dataSource));
    const end = statementEnd();
    const rows = this.reads.rows(statement, values);
    // Other requests may share the statement or its connection, so it is not cancelled.
    return (await (end === undefined ? rows : until(end, rows))) as readonly Row[];
  }

  get poolUse(): PoolUse {
    return useOf(poolOf(this.dataSource));
  }

  get longReadPoolUse(): PoolUse {
    return useOf(poolOf(this.longReads));
  }

  /** Throws if PostgreSQL cannot be reached. */
  async ping(): Promise<void> {
    await this.sql('SELECT 1');
  }

  /**
   * Throws if PostgreSQL accepts no writes. Creates a table to find out, but only after the server refused a write of
   * this process: that is too much work for every call.
   */
  async checkWrites(): Promise<void> {
    const pool = poolOf(this.dataSource);
    if (!(await acceptsWrites(pool))) throw new Error('The database is read-only');
    const { refusedWrites } = pool;
    if (!refusedWrites.unresolved) return;
    await this.sql(PROBE_DISK);
    refusedWrites.resolve();
  }

  /** Throws unless the schema has all migrations that this process knows. The schema may have newer migrations. */
  async checkMigrations(): Promise<void> {
    const known = migrations.map(({ name }) => name);
    const [row] = await this.sql<{ missing: number }>(COUNT_MISSING_MIGRATIONS, [known]);
    if (row?.missing !== 0) throw new Error('Migrations are missing');
  }

  /**
   * Returns the rows of a statement that selects at most `limit` rows (or groups of rows), in its order. Throws a fault
   * of `limit` if the rows exceed `MAX_PAGE_BYTES` together. The server measures them in the same statement, and
   * therefore in the same snapshot, before it sends any. A single row is always returned.
   */
  async boundedRows<Row extends QueryResultRow>(limit: number, { text, values }: Statement): Promise<Row[]> {
    if (limit <= 1) return this.sql<Row>(text, values);
    const rows = await this.bounded.rows<Row>({ text }, values);
    if (rows === undefined) throw pageTooLarge();
    return rows;
  }

  /**
   * Like `boundedRows` for a result without pages, such as the agents of one team. Throws the conflict
   * `related_data_too_large` if the rows exceed the bound; `what` describes them in its message.
   */
  async boundedSet<Row extends QueryResultRow>(
    what: string,
    statement: Pick<Statement, 'text'> | PreparedStatement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const rows = await this.bounded.rows<Row>(statement, values);
    if (rows === undefined) throw setTooLarge(what);
    return rows;
  }

  private async commit<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner();
    const transaction: Transaction = { database: this, runner, afterCommit: [] };
    let result: T;
    try {
      await runner.connect();
      await runner.startTransaction();
      const { beginWith } = poolOf(this.source);
      try {
        if (beginWith !== undefined) await (await clientOf(runner)).query(beginWith);
        result = await transactions.run(transaction, work);
        await runner.commitTransaction();
      } catch (error) {
        if (runner.isTransactionActive) await this.rollBack(runner);
        // The error of a query on a lost connection does not contain the cause of the loss.
        throw isConnectionUnusable(error) ? ((await clientOf(runner)).lostBy ?? error) : error;
      }
    } finally {
      await runner.release();
    }
    for (const hook of transaction.afterCommit) this.runHook(hook);
    return result;
  }

  private async run<Row extends QueryResultRow>(query: {
    name?: string;
    text: string;
    values: unknown[];
  }): Promise<QueryResult<Row>> {
    const transaction = this.current;
    const end = statementEnd();
    if (transaction === undefined) {
      const pool = poolOf(this.source);
      return retryCollision(() => (end === undefined ? pool.query<Row>(query) : queryUntil<Row>(end, pool, query)));
    }
    const client = await clientOf(transaction.runner);
    return end === undefined ? client.query<Row>(query) : cancelledBy(end, client, () => client.query<Row>(query));
  }

  /** Runs one statement. Outside a transaction, retries it after a collision. */
  private async write<T>(statement: () => Promise<T>): Promise<T> {
    return this.current === undefined ? retryCollision(statement) : statement();
  }

  /** The transaction of this database to which the caller belongs. */
  private get current(): Transaction | undefined {
    const transaction = transactions.getStore();
    return transaction?.database === this ? transaction : undefined;
  }

  /** Where statements and transactions get a connection. */
  private get source(): DataSource {
    return isLongRead() ? this.longReads : this.dataSource;
  }

  /** Logs a failure: the server rolls back on a lost connection, and the caller throws the first error. */
  private async rollBack(runner: QueryRunner): Promise<void> {
    try {
      await runner.rollbackTransaction();
    } catch (error) {
      this.logger.warn({ err: error }, 'rollback failed; the server rolls back when the connection is closed');
    }
  }

  private runHook(hook: () => void | Promise<void>): void {
    void transactions.exit(async () => {
      try {
        await hook();
      } catch (error) {
        this.logger.warn({ err: error }, 'after-commit hook failed');
      }
    });
  }
}
