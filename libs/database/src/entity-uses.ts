import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import { findUses } from './entity-uses.sql.js';
import { declaredUsesOf, type UsedKind } from './uses.js';

/** Places that an error names; the others are counted. */
const MAX_NAMED = 10;

/** Finds what names a resource, over the entities of all domains that declare it with `Uses`. */
@Injectable()
export class EntityUses {
  constructor(private readonly database: Database) {}

  /**
   * Returns the places that name a resource as one text, for the error of a deletion; undefined if there is none. `words` are
   * those by which it can be named, its id first. Reads the rows of one organization without a lock: a place that is stored
   * at the same time is not found, and its runs fail with the name of what is missing.
   */
  async describe({ organizationId }: Scope, kind: UsedKind, words: readonly string[]): Promise<string | undefined> {
    const tables = this.database.dataSource.entityMetadatas.flatMap(({ target, tablePath: table }) => {
      const declared = typeof target === 'function' ? declaredUsesOf(target) : undefined;
      const conditions = declared?.names[kind];
      return declared === undefined || conditions === undefined ? [] : [{ table, place: declared.place, conditions }];
    });
    if (tables.length === 0) return undefined;
    const found = await this.database.sql<{ place: string; total: number }>(findUses(tables), [
      organizationId,
      words,
      MAX_NAMED,
    ]);
    const others = (found[0]?.total ?? 0) - found.length;
    const places = found.map(({ place }) => place).join(', ');
    return found.length === 0 ? undefined : places + (others > 0 ? ` and ${others} more` : '');
  }
}
