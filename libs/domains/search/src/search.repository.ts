import { Database, searchedKindOf, type SearchedKind } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { asciiWords, searchTerms } from './search-terms.js';
import type { FoundItem } from './search.types.js';

/** Longer details are truncated. */
const DETAIL_LENGTH = 200;
/** The maximum length of most names. The indexes of other tables are divided here. */
const LONGEST_INDEXED = 255;

/** Rows as `Searchable` declares them. */
interface NamedRow {
  readonly organization_id: string;
  readonly id: string;
  readonly name: string;
}

interface SearchedEntity extends SearchedKind {
  readonly entity: new () => NamedRow;
}

/** Searches the tables of all domains whose entities are `Searchable`. */
@Injectable()
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** Returns the searched entities of this process. */
  kinds(): readonly SearchedEntity[] {
    return this.database.dataSource.entityMetadatas.flatMap(({ target }) => {
      const searched = typeof target === 'function' ? searchedKindOf(target) : undefined;
      return searched === undefined ? [] : [{ ...searched, entity: target as new () => NamedRow }];
    });
  }

  /** Returns the rows whose names match the text, see `searchTerms`, the shortest names first. */
  async find(scope: Scope, searched: SearchedEntity, text: string, limit: number): Promise<FoundItem[]> {
    if (searched.hasLongNames !== true) return this.findWithin(scope, searched, text, limit);
    const found = await this.findWithin(scope, searched, text, limit, `length(named.name) <= ${LONGEST_INDEXED}`);
    const left = limit - found.length;
    if (left === 0) return found;
    const long = await this.findWithin(scope, searched, text, left, `length(named.name) > ${LONGEST_INDEXED}`);
    return [...found, ...long];
  }

  /**
   * A subquery finds the rows: an index with the names in their order is sufficient for it, and other columns are read
   * of the found rows alone. `lengths` is the condition of a partial index.
   */
  private async findWithin(
    { organizationId }: Scope,
    { entity, kind, detail, status }: SearchedEntity,
    text: string,
    limit: number,
    lengths = 'true',
  ): Promise<FoundItem[]> {
    const named = (): SelectQueryBuilder<NamedRow> =>
      inOrder(this.database.select(entity, 'named', { organization_id: organizationId }));
    const found = named().select('named.id', 'id').andWhere(lengths).limit(limit);
    found.andWhere(matching(text, (name, value) => found.setParameter(name, value)));
    const query = named()
      .innerJoin(`(${found.getQuery()})`, 'found', 'found.id = named.id')
      .setParameters(found.getParameters())
      .select(['named.id', 'named.name'])
      .addSelect(detail === undefined ? 'NULL' : `left(${detail}, ${DETAIL_LENGTH})`, 'detail')
      .addSelect(status ?? 'NULL', 'status');
    const rows = await this.database.rows<NamedRow, Omit<FoundItem, 'kind'>>(query);
    return rows.map(({ id, name, ...shown }) => ({ kind, id, name, detail: shown.detail, status: shown.status }));
  }
}

function inOrder(query: SelectQueryBuilder<NamedRow>): SelectQueryBuilder<NamedRow> {
  return query.orderBy('length(named.name)').addOrderBy('named.name').addOrderBy('named.id');
}

/** Returns the condition for names that match the text. Only CASE makes PostgreSQL evaluate the cheap part first. */
function matching(text: string, set: (name: string, value: string) => void): string {
  const terms = searchTerms(text).map((term, index) => {
    set(`term_${index}`, term);
    return `named.name ~* :term_${index}`;
  });
  const words = asciiWords(text).map((word, index) => {
    set(`word_${index}`, word);
    return `strpos(lower(named.name COLLATE "C"), :word_${index}) > 0`;
  });
  const matches = terms.join(' AND ');
  return words.length === 0 ? matches : `CASE WHEN ${words.join(' AND ')} THEN ${matches} ELSE false END`;
}
