import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { findUses } from './entity-uses.sql.js';
import { declaredUsesOf } from './uses.js';

/** Maximum number of places that an error lists; the others are only counted. */
const MAX_NAMED = 10;

/** Finds the rows that name a resource, in the entities of all domains that declare this with `Uses`. */
@Injectable()
export class EntityUses {
  constructor(private readonly database: Database) {}

  /**
   * Returns the places that name a resource as one text, for the error of a deletion; undefined if there is none.
   * `words` are the texts that refer to the resource, its id first. Reads the rows of one organization without a lock:
   * a place that is stored concurrently is not found, and its runs fail with an error that names the missing resource.
   */
  async describe({ organizationId }: Scope, kind: string, words: readonly string[]): Promise<string | undefined> {
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
