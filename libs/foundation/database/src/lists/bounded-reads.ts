import type { FieldDef, QueryResultRow } from 'pg';
import type { PreparedStatement } from '../pool/turn-reads.js';
import { withPageBound, type MeasuredPage } from './bounded-page.js';
import type { Statement } from './list-statement.js';

/** The ways of `Database` to run a statement. */
interface Runner {
  readonly fields: (text: string, values: readonly unknown[]) => Promise<readonly FieldDef[]>;
  readonly sql: <Row extends QueryResultRow>(text: string, values: readonly unknown[]) => Promise<Row[]>;
  readonly shared: <Row extends QueryResultRow>(
    statement: PreparedStatement,
    values: readonly unknown[],
  ) => Promise<readonly Readonly<Row>[]>;
}

/** Reads rows whose size the server measures in the same statement, before it sends any. */
export class BoundedReads {
  /** The result columns of each statement, by its text. Unbounded, because all texts are part of the code. */
  private readonly columns = new Map<string, readonly FieldDef[]>();

  constructor(private readonly runner: Runner) {}

  /** Returns undefined if the rows exceed the bound. A statement with a name is prepared and shared. */
  async rows<Row extends QueryResultRow>(
    statement: Pick<Statement, 'text'> | PreparedStatement,
    values: readonly unknown[],
  ): Promise<Row[] | undefined> {
    const text = withPageBound(statement.text, await this.columnsOf(statement.text, values));
    const rows =
      'name' in statement
        ? await this.runner.shared<MeasuredPage<Row>>({ name: statement.name, text }, values)
        : await this.runner.sql<MeasuredPage<Row>>(text, values);
    if (rows[0]?.page_fits === false) return undefined;
    if (rows[0]?.page_rows === 0) return [];
    return rows.map(({ page_rows: _rows, page_fits: _fits, ...row }) => row as unknown as Row);
  }

  /** Queries the server once per statement. */
  private async columnsOf(text: string, values: readonly unknown[]): Promise<readonly FieldDef[]> {
    const cached = this.columns.get(text);
    if (cached !== undefined) return cached;
    const fields = await this.runner.fields(`SELECT * FROM (${text}) page LIMIT 0`, values);
    this.columns.set(text, fields);
    return fields;
  }
}
