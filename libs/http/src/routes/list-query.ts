import type { Listed, Page } from '@app/kernel';
import { QueryIntegerField } from '../wire/fields.js';
import { OutBoolean, OutString } from '../wire/response-fields.js';

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
