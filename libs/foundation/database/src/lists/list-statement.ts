import type { CursorKeys, Page } from '@app/kernel';
import type { EntityMetadata, ObjectLiteral, OrderByCondition, SelectQueryBuilder } from 'typeorm';

/** A statement with `$1`-style parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A row of a page, with its position in the list. */
export type PositionedRow<Row> = Row & { readonly page_more: boolean } & Readonly<
    Record<`page_key_${number}`, string | null>
  >;

/** The pages of a list. */
export interface Listing {
  /** Identifies the list: its conditions, their values and its order. The same for all its pages. */
  readonly identity: string;
  /** The number of keys of a position. */
  readonly keyCount: number;
  /**
   * Returns the statement of one page, which begins after the row with these keys; without keys, after `skip` rows. Its
   * rows have additional columns: `page_key_0` and so on, the keys of the row as text, and `page_more`, whether rows
   * follow the page.
   */
  statement(page: Page, after: CursorKeys | undefined): Statement;
}

/**
 * Returns the pages of `query`. A subquery selects the primary keys of the page, and the rows are joined to them: rows
 * outside the page are never read, and an index with the conditions and the order is sufficient for the subquery. With
 * a cursor instead of `skip`, rows before the page are not read either. Skip, limit and keys are parameters, so the
 * text depends only on the conditions of the query.
 */
export function listingOf<T extends ObjectLiteral>(query: SelectQueryBuilder<T>): Listing {
  const keys = keysOf(query);
  const ordered = withTieBreaker(query, keys);
  const order = orderOf(ordered);
  const positions = order.map(({ expression }, index) => ({
    selection: `(${expression})::text`,
    aliasName: `page_key_${index}`,
  }));
  const page = ordered.clone();
  page.expressionMap.orderBys = Object.fromEntries(order.map(({ expression, direction }) => [expression, direction]));
  page.expressionMap.selects = [
    ...keys.map((key, index) => ({ selection: key, aliasName: `key_${index}` })),
    ...positions,
  ];
  return {
    identity: JSON.stringify(page.getQueryAndParameters()),
    keyCount: order.length,
    statement({ skip, limit }, after) {
      const start = page.clone();
      if (after !== undefined) restrict(start, afterCondition(order, after));
      const rows = ordered.clone();
      rows.expressionMap.wheres = [];
      for (const { aliasName } of positions) rows.addSelect(`page.${aliasName}`, aliasName);
      return statementOf(
        rows
          .addSelect('page.page_more', 'page_more')
          .innerJoin(
            `(SELECT *, count(*) OVER () > :page_limit::integer AS page_more
              FROM (${start.getQuery()} LIMIT :page_limit::integer + 1 OFFSET :page_skip::bigint) following
              LIMIT :page_limit::integer)`,
            'page',
            keys.map((key, index) => `page.key_${index} = ${key}`).join(' AND '),
          )
          .setParameters({ page_limit: limit, page_skip: skip, ...parametersOf(after ?? []) }),
      );
    },
  };
}

/** Returns the keys of a row: its position in the list. */
export function positionOf(row: PositionedRow<object>, keyCount: number): CursorKeys {
  return Array.from({ length: keyCount }, (_key, index) => row[`page_key_${index}`] ?? null);
}

/** Returns the row without the columns of its position, which come last. */
export function withoutPosition<Row extends object>(row: PositionedRow<Row>, keyCount: number): Row {
  return Object.fromEntries(Object.entries(row).slice(0, -keyCount - 1)) as Row;
}

/** Returns the statement that counts the rows of `query` as `total`. */
export function countStatement<T extends ObjectLiteral>(query: SelectQueryBuilder<T>): Statement {
  return statementOf(query.clone().select('count(*)::integer', 'total').orderBy());
}

/** Returns the statement that counts the rows of `query` as `total`, and stops at `max`. */
export function countUpToStatement<T extends ObjectLiteral>(query: SelectQueryBuilder<T>, max: number): Statement {
  const { text, values } = statementOf(query.clone().select('1', 'one').orderBy());
  const limit = `$${values.length + 1}::integer`;
  return { text: `SELECT count(*)::integer AS total FROM (${text} LIMIT ${limit}) counted`, values: [...values, max] };
}

/** Returns the statement of a query. Its rows have the column names of the entity and the aliases of `addSelect`. */
export function statementOf<T extends ObjectLiteral>(query: SelectQueryBuilder<T>): Statement {
  const named = query.clone();
  const { name, metadata } = mainAliasOf(named);
  named.expressionMap.selects = named.expressionMap.selects.flatMap((select) =>
    select.selection === name
      ? metadata.columns
          .filter(({ isSelect }) => isSelect)
          .map((column) => ({ selection: `${name}.${column.propertyPath}`, aliasName: column.databaseName }))
      : [{ ...select, aliasName: select.aliasName ?? select.selection.slice(name.length + 1) }],
  );
  const [text, values] = named.getQueryAndParameters();
  return { text, values };
}

/** A value that a list is ordered by. */
interface OrderKey {
  readonly expression: string;
  readonly direction: OrderByCondition[string];
  readonly descending: boolean;
  readonly nullable: boolean;
  readonly nullsFirst: boolean;
}

/** PostgreSQL sorts null after all other values in ascending order, and before them in descending order. */
function orderOf<T extends ObjectLiteral>(query: SelectQueryBuilder<T>): readonly OrderKey[] {
  const { name, metadata } = mainAliasOf(query);
  return Object.entries(query.expressionMap.orderBys).map(([key, direction]) => {
    const { order, nulls } = typeof direction === 'object' ? direction : { order: direction, nulls: undefined };
    const column = metadata.columns.find(({ propertyPath }) => `${name}.${propertyPath}` === key);
    const selected = query.expressionMap.selects.find(({ aliasName }) => aliasName === key);
    return {
      expression: selected?.selection ?? key,
      direction,
      descending: order === 'DESC',
      nullable: (column?.isNullable ?? true) && !isRequired(query, key),
      nullsFirst: nulls === undefined ? order === 'DESC' : nulls === 'NULLS FIRST',
    };
  });
}

/** Returns whether a condition of the query excludes rows without this value. */
function isRequired<T extends ObjectLiteral>({ expressionMap }: SelectQueryBuilder<T>, key: string): boolean {
  const { wheres } = expressionMap;
  return (
    wheres.every(({ type }) => type !== 'or') && wheres.some(({ condition }) => condition === `${key} IS NOT NULL`)
  );
}

const parameter = (index: number): string => `:page_after_${index}`;

function parametersOf(keys: CursorKeys): Record<string, string | null> {
  return Object.fromEntries(keys.map((key, index) => [parameter(index).slice(1), key]));
}

/** Returns the condition for the rows after the row with these keys. PostgreSQL infers the types of the parameters. */
function afterCondition(order: readonly OrderKey[], keys: CursorKeys): string {
  const [first] = order;
  if (order.every(({ nullable, descending }) => !nullable && descending === first?.descending)) {
    const sides = [order.map(({ expression }) => expression), order.map((_key, index) => parameter(index))];
    return sides.map((side) => `(${side.join(', ')})`).join(first?.descending === true ? ' < ' : ' > ');
  }
  const after = order.reduceRight(
    (rest, key, index) => `(${beyond(key, keys, index)} OR (${same(key, keys, index)} AND ${rest}))`,
    'false',
  );
  if (first === undefined || first.nullable) return after;
  // The comparison is implied by the condition, but an index can only use a comparison that is not part of an OR.
  return `${first.expression} ${first.descending ? '<=' : '>='} ${parameter(0)} AND ${after}`;
}

function beyond({ expression, descending, nullable, nullsFirst }: OrderKey, keys: CursorKeys, index: number): string {
  if (keys[index] == null) return nullsFirst ? `${expression} IS NOT NULL` : 'false';
  const compared = `${expression} ${descending ? '<' : '>'} ${parameter(index)}`;
  return nullable && !nullsFirst ? `(${compared} OR ${expression} IS NULL)` : compared;
}

function same({ expression }: OrderKey, keys: CursorKeys, index: number): string {
  return keys[index] == null ? `${expression} IS NULL` : `${expression} = ${parameter(index)}`;
}

/** Adds a condition to a query whose conditions may contain OR. */
function restrict<T extends ObjectLiteral>({ expressionMap }: SelectQueryBuilder<T>, condition: string): void {
  const { wheres } = expressionMap;
  expressionMap.wheres = [
    ...(wheres.length === 0
      ? []
      : [{ type: 'simple' as const, condition: { operator: 'brackets' as const, condition: wheres } }]),
    { type: wheres.length === 0 ? 'simple' : 'and', condition },
  ];
}

/** Appends the primary key to the order, in the direction of the last column. */
function withTieBreaker<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  keys: readonly string[],
): SelectQueryBuilder<T> {
  const ordered = query.clone();
  const last = Object.values(ordered.expressionMap.orderBys).at(-1);
  const direction = typeof last === 'object' ? last.order : last;
  for (const key of keys) {
    if (!(key in ordered.expressionMap.orderBys)) ordered.addOrderBy(key, direction);
  }
  return ordered;
}

/**
 * Returns the primary key. The organization comes last: it is constant within a list, and no index contains it after
 * the columns of the order.
 */
function keysOf<T extends ObjectLiteral>(query: SelectQueryBuilder<T>): readonly string[] {
  const { name, metadata } = mainAliasOf(query);
  const paths = metadata.primaryColumns.map(({ propertyPath }) => propertyPath);
  return [...paths.filter((path) => path !== ORGANIZATION), ...paths.filter((path) => path === ORGANIZATION)].map(
    (path) => `${name}.${path}`,
  );
}

const ORGANIZATION = 'organization_id';

function mainAliasOf<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
): { name: string; metadata: EntityMetadata } {
  const alias = query.expressionMap.mainAlias;
  if (alias === undefined) throw new Error('A list needs a query over an entity');
  return alias;
}
