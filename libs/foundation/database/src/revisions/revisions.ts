import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { Database } from '../database.js';
import { revisedKindOf, type RevisedKind } from './revised.js';

interface RevisedEntity {
  readonly revised: RevisedKind;
  readonly entity: new () => ObjectLiteral;
}

/**
 * The revisions of rows whose entities declare them with `Revised`. A revision is a text that names the row and the
 * number of its changes, so that no other row, and no other state of the same row, ever has the same one.
 */
@Injectable()
export class Revisions {
  private readonly byKind = new Map<string, RevisedEntity>();

  constructor(private readonly database: Database) {}

  /** Returns the revision of a row, or undefined if there is none. */
  async find(scope: Scope, kind: string, idOrName: string): Promise<string | undefined> {
    return this.one(this.query(scope, kind, idOrName));
  }

  /** Like `find`, and locks the row until the transaction ends. Throws outside a transaction. */
  async lock(scope: Scope, kind: string, idOrName: string): Promise<string | undefined> {
    return this.one(this.query(scope, kind, idOrName).setLock('pessimistic_write'));
  }

  private query({ organizationId }: Scope, kind: string, idOrName: string): SelectQueryBuilder<ObjectLiteral> {
    const { entity, revised } = this.entityOf(kind);
    const query = this.database
      .select(entity, 'revised', { organization_id: organizationId })
      .select('revised.id', 'id')
      .addSelect(`revised.${revised.column ?? 'revision'}`, 'revision');
    if (revised.hasUniqueName !== true) return query.andWhere('revised.id = :idOrName', { idOrName });
    return query
      .andWhere('(revised.id = :idOrName OR revised.name = :idOrName)', { idOrName })
      .orderBy('revised.id = :idOrName', 'DESC')
      .limit(1);
  }

  private async one(query: SelectQueryBuilder<ObjectLiteral>): Promise<string | undefined> {
    const [row] = await this.database.rows<ObjectLiteral, { id: string; revision: number }>(query);
    return row === undefined ? undefined : `${row.id}.${row.revision}`;
  }

  private entityOf(kind: string): RevisedEntity {
    const known = this.byKind.get(kind);
    if (known !== undefined) return known;
    for (const { target } of this.database.dataSource.entityMetadatas) {
      const revised = typeof target === 'function' ? revisedKindOf(target) : undefined;
      if (revised?.kind !== kind) continue;
      const found = { revised, entity: target as RevisedEntity['entity'] };
      this.byKind.set(kind, found);
      return found;
    }
    throw new Error(`No entity declares revisions of the kind ${kind}`);
  }
}
