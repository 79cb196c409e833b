import { withoutUndefined, type Fault, type NameFilter, type Page, type PageResult } from '@app/kernel';
import { QueryBooleanField, QueryIntegerField, StringField } from '../fields/fields.js';
import { ResponseBoolean, ResponseString } from '../fields/response-fields.js';
import { ValidateObject, type ObjectRule } from '../fields/validate-object.js';

/** The default `skip` and `limit` of a list. */
const WINDOW = { skip: 0, limit: 100 };
/** Default and maximum number of rows of a page. */
export const DEFAULT_PAGE_SIZE = WINDOW.limit;
export const MAX_PAGE_SIZE = 1000;

/** Longer than any valid cursor, which contains the values that the list is ordered by: times, numbers, names, ids. */
const CURSOR_MAX_LENGTH = 4096;

/** The `cursor` of a list. */
export const CursorField = (): PropertyDecorator =>
  StringField({
    empty: 'keep',
    maxLength: CURSOR_MAX_LENGTH,
    description:
      'Opaque cursor that continues a list: `X-Next-Cursor` of the previous page, with the same filters. A page costs the same at any depth',
  });

/** The parameters that continue a list, the same for all plain lists. */
export class CursorQuery {
  @CursorField()
  readonly cursor?: string;

  @QueryBooleanField({ default: true, description: 'Whether to count the whole list. Default true' })
  readonly total?: boolean;
}

/** `skip`, `limit` and `cursor` of every plain list. */
@ValidateObject(startsOnce('skip'))
export class ListQuery extends CursorQuery {
  @QueryIntegerField({ min: 0, default: WINDOW.skip, description: 'Number of rows to skip. Default 0' })
  readonly skip?: number;

  @QueryIntegerField({
    min: 1,
    max: MAX_PAGE_SIZE,
    default: WINDOW.limit,
    description: 'Maximum number of rows, 1 to 1000. Default 100',
  })
  readonly limit?: number;
}

/** The `name` of the lists of resources with names. */
export const NameFilterField = (): PropertyDecorator =>
  StringField({ empty: 'keep', description: 'The whole name; case matters' });

/** The parameters of the lists of resources with names. */
export class NamedListQuery extends ListQuery {
  @NameFilterField()
  readonly name?: string;
}

/** Returns the rule that a request does not have both a cursor and `parameter`, the number of rows to skip. */
export function startsOnce(parameter: string): ObjectRule {
  const msg = `Input should not be given together with \`${parameter}\``;
  const fault: Fault = { path: ['cursor'], msg, type: 'value_error' };
  return (query) => (query['cursor'] === undefined || query[parameter] === undefined ? [] : [fault]);
}

export function toPage({ skip = WINDOW.skip, limit = WINDOW.limit, ...rest }: ListQuery): Page {
  return { skip, limit, ...toCursor(rest) };
}

/** Returns the part of a filter that is the same for all resources with names. */
export function toNameFilter({ name }: Pick<NamedListQuery, 'name'>): NameFilter {
  return withoutUndefined({ name });
}

export function toCursor({ cursor, total }: Pick<CursorQuery, 'cursor' | 'total'>): Pick<Page, 'cursor' | 'total'> {
  return withoutUndefined({ cursor, total });
}

export function mapPage<From, To>(listed: PageResult<From>, toResponse: (item: From) => To): PageResult<To> {
  return { ...listed, items: listed.items.map(toResponse) };
}

/** Like `mapPage`, with one call for all items of the page, so that related data is looked up once per page. */
export async function mapPageAsync<From, To>(
  listed: PageResult<From>,
  toResponses: (items: readonly From[]) => Promise<readonly To[]>,
): Promise<PageResult<To>> {
  return { ...listed, items: await toResponses(listed.items) };
}

/** The response to a deletion, for clients that expect a body. */
export class DeletedResponse {
  @ResponseString({ description: 'Id of the deleted resource' })
  readonly id!: string;

  @ResponseBoolean({ description: 'Always true' })
  readonly deleted!: boolean;
}
