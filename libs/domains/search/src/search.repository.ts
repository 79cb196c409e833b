import { Database, searchedKindOf, type SearchedKind } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { FoundItem } from './search.types.js';

/** Longer details are truncated. */
const DETAIL_LENGTH = 200;

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

  /** Returns the rows whose names match every term, the shortest names first. Reads the names of one organization. */
  async find(
    { organizationId }: Scope,
    { entity, kind, detail, status }: SearchedEntity,
    terms: readonly string[],
    limit: number,
  ): Promise<FoundItem[]> {
    const query = this.database
      .select(entity, 'named', { organization_id: organizationId })
      .select(['named.id', 'named.name'])
      .addSelect(detail === undefined ? 'NULL' : `left(${detail}, ${DETAIL_LENGTH})`, 'detail')
      .addSelect(status ?? 'NULL', 'status')
      .orderBy('length(named.name)')
      .addOrderBy('named.name')
      .addOrderBy('named.id')
      .limit(limit);
    for (const [index, term] of terms.entries())
      query.andWhere(`named.name ~* :term_${index}`, { [`term_${index}`]: term });
    const rows = await this.database.rows<NamedRow, Omit<FoundItem, 'kind'>>(query);
    return rows.map(({ id, name, ...shown }) => ({ kind, id, name, detail: shown.detail, status: shown.status }));
  }
}
