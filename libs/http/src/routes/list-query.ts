import type { Listed, Page } from '@app/kernel';
import { QueryIntegerField } from '../wire/fields.js';
import { OutBoolean, OutString } from '../wire/response-fields.js';

/** The window of a list whose query does not say. */
const WINDOW = { skip: 0, limit: 100 };
/** Rows of a page: where the query does not say, and at most. */
export const DEFAULT_PAGE_SIZE = WINDOW.limit;
export const MAX_PAGE_SIZE = 1000;

/** `skip` and `limit` of every plain list. */
export class ListQuery {
  @QueryIntegerField({ min: 0, default: WINDOW.skip, description: 'Rows to pass over' })
  readonly skip?: number;

  @QueryIntegerField({ min: 1, max: MAX_PAGE_SIZE, default: WINDOW.limit, description: 'Rows to answer at most' })
  readonly limit?: number;
}

export function toPage({ skip = WINDOW.skip, limit = WINDOW.limit }: ListQuery): Page {
  return { skip, limit };
}

export function mapListed<From, To>(listed: Listed<From>, toResponse: (item: From) => To): Listed<To> {
  return { items: listed.items.map(toResponse), total: listed.total };
}

/** What deleting answers where clients parse a body. */
export class DeletedResponse {
  @OutString()
  readonly id!: string;

  @OutBoolean()
  readonly deleted!: boolean;
}
