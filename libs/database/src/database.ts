import { AsyncLocalStorage } from 'node:async_hooks';
import type { Listed, Page, Patch } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { FieldDef, Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import type {
  DataSource,
  EntityManager,
  EntityTarget,
  FindOptionsWhere,
  ObjectLiteral,
  QueryRunner,
  Repository,
} from 'typeorm';
import { boundedPage, pageTooLarge, type MeasuredPage } from './bounded-page.js';

/** A list, as the parts of the statements that answer a page of it and count it. */
interface ListStatement {
  /** What stands after SELECT. */
  readonly columns: string;
  /** What stands after FROM, conditions included; every parameter occurs here. */
  readonly from: string;
  /** What stands after ORDER BY: no two rows are equal in it, or pages would overlap. */
  readonly order: string;
  readonly values: readonly unknown[];
}

interface Transaction {
  readonly runner: QueryRunner;
  readonly afterCommit: (() => void | Promise<void>)[];
}

/**
 * The unit of work. A transaction belongs to the asynchronous call that opened it: every repository called inside
 * `transaction` takes part without being told, and a nested `transaction` joins the outer one. So "this write and that
 * outbox row" is one commit however deep the calls are.
 */
@Injectable()
export class Database {
  private readonly logger = createLogger('database');
  private readonly current = new AsyncLocalStorage<Transaction>();
  /** What each page's statement answers, by its text. Texts come from the code alone, so there are few. */
  private readonly columns = new Map<string, readonly FieldDef[]>();

  constructor(@InjectDataSource() readonly dataSource: DataSource) {}

  /** TypeORM's manager of the present transaction, or of the pool outside one. */
  get manager(): EntityManager {
    return this.current.getStore()?.runner.manager ?? this.dataSource.manager;
  }

  repository<T extends ObjectLiteral>(entity: EntityTarget<T>): Repository<T> {
    return this.manager.getRepository(entity);
  }

  /** Inserts one row; its values are taken as they are. */
  async insert<T extends ObjectLiteral>(entity: EntityTarget<T>, row: T): Promise<void> {
    await this.repository(entity).insert(row);
  }

  /** Inserts one row unless a unique constraint stands against it: then what is there stays. */
  async insertIfMissing<T extends ObjectLiteral>(entity: EntityTarget<T>, row: T): Promise<void> {
    const query = this.repository(entity).createQueryBuilder().insert();
    await query.values(row).orIgnore().execute();
  }

  /** The row that fits; undefined when none does. */
  async findOne<T extends ObjectLiteral>(
    entity: EntityTarget<T>,
    where: FindOptionsWhere<T> | FindOptionsWhere<T>[],
  ): Promise<T | undefined> {
    return (await this.repository(entity).findOneBy(where)) ?? undefined;
  }

  /** Changes one row and answers it as it is then; undefined when no row fits. */
  async update<T extends ObjectLiteral>(
    entity: EntityTarget<T>,
    where: FindOptionsWhere<T>,
    changes: Patch<T>,
  ): Promise<T | undefined> {
    const query = this.repository(entity).createQueryBuilder().update();
    const result = await query.set(changes).where(where).returning('*').execute();
    return (result.raw as T[])[0];
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.current.getStore() !== undefined) return work();
    const runner = this.dataSource.createQueryRunner();
    const transaction: Transaction = { runner, afterCommit: [] };
    let result: T;
    try {
      await runner.connect();
      await runner.startTransaction();
      try {
        result = await this.current.run(transaction, work);
        await runner.commitTransaction();
      } catch (error) {
        if (runner.isTransactionActive) await this.rollBack(runner);
        throw error;
      }
    } finally {
      await runner.release();
    }
    for (const hook of transaction.afterCommit) this.runHook(hook);
    return result;
  }

  /** A transaction whose statements may take as long as they need: for upkeep that nobody waits for, never a request. */
  async unhurried<T>(work: () => Promise<T>): Promise<T> {
    return this.transaction(async () => {
      await this.sql('SET LOCAL statement_timeout = 0');
      return work();
    });
  }

  /**
   * Runs `hook` once the present transaction is committed, at once where there is none, and never after a roll-back.
   * It is a hint to hurry, never a guarantee: the process may die before it. What must happen goes through the outbox.
   */
  afterCommit(hook: () => void | Promise<void>): void {
    const transaction = this.current.getStore();
    if (transaction === undefined) this.runHook(hook);
    else transaction.afterCommit.push(hook);
  }

  /** Rows of a statement, in the present transaction. */
  async sql<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.run<Row>({ text, values: [...values] })).rows;
  }

  /** The same for hot paths: prepared once per connection under `name`, which must be unique to the text. */
  async prepared<Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.run<Row>({ name, text, values: [...values] })).rows;
  }

  /** One page of a list, bounded as `page` says, and how many rows the whole list has. */
  async list<Row extends QueryResultRow>(
    page: Page,
    { columns, from, order, values }: ListStatement,
  ): Promise<Listed<Row>> {
    const window = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
    const text = `SELECT ${columns} FROM ${from} ORDER BY ${order} ${window}`;
    const [items, counted] = await Promise.all([
      this.page<Row>(page, text, [...values, page.limit, page.skip]),
      this.sql<{ total: number }>(`SELECT count(*)::integer AS total FROM ${from}`, values),
    ]);
    return { items, total: counted[0]?.total ?? 0 };
  }

  /**
   * Rows of a statement that answers one page of a list, in its order. They are measured where they lie, in the same
   * statement and so in the same state, and read only when they have no more than `MAX_PAGE_BYTES` together; one row by
   * itself is always read.
   */
  async page<Row extends QueryResultRow>(
    { limit }: Pick<Page, 'limit'>,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    if (limit <= 1) return this.sql<Row>(text, values);
    const bounded = boundedPage(text, await this.columnsOf(text, values));
    const rows = await this.sql<MeasuredPage<Row>>(bounded, values);
    if (rows[0]?.page_fits === false) throw pageTooLarge();
    if (rows[0]?.page_rows === 0) return [];
    return rows.map(({ page_rows: _rows, page_fits: _fits, ...row }) => row as unknown as Row);
  }

  /** Asked of the server once for each statement. */
  private async columnsOf(text: string, values: readonly unknown[]): Promise<readonly FieldDef[]> {
    const known = this.columns.get(text);
    if (known !== undefined) return known;
    const { fields } = await this.run({ text: `SELECT * FROM (${text}) page LIMIT 0`, values: [...values] });
    this.columns.set(text, fields);
    return fields;
  }

  private async run<Row extends QueryResultRow>(query: {
    name?: string;
    text: string;
    values: unknown[];
  }): Promise<QueryResult<Row>> {
    const transaction = this.current.getStore();
    if (transaction === undefined) return this.pool.query<Row>(query);
    const client = (await transaction.runner.connect()) as PoolClient;
    return client.query<Row>(query);
  }

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }

  /** It fails where the connection is lost: the server has rolled back then, and what led here is the error to tell. */
  private async rollBack(runner: QueryRunner): Promise<void> {
    try {
      await runner.rollbackTransaction();
    } catch (error) {
      this.logger.warn({ err: error }, 'a transaction was not rolled back; it ends with its connection');
    }
  }

  private runHook(hook: () => void | Promise<void>): void {
    void this.current.exit(async () => {
      try {
        await hook();
      } catch (error) {
        this.logger.warn({ err: error }, 'work after a commit failed; the sweeper takes it up');
      }
    });
  }
}
