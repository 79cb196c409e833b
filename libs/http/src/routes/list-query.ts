import type { Page } from '@app/kernel';
import { QueryIntegerField } from '../wire/fields.js';

/** `skip` and `limit` of every plain list. */
export class ListQuery {
  @QueryIntegerField({ min: 0, default: 0, description: 'Rows to pass over' })
  readonly skip?: number;

  @QueryIntegerField({ min: 1, max: 1000, default: 100, description: 'Rows to answer at most' })
  readonly limit?: number;
}

export function toPage(query: ListQuery): Page {
  return { skip: query.skip ?? 0, limit: query.limit ?? 100 };
}
