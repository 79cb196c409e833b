import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { redactionOf, type Redaction } from '../fields/response-fields.js';
import { perHandler } from './per-handler.js';

type Shape = new () => object;

const LISTED = 'route:listed';
const MAX_ITEMS = 'route:max-items';
export const NEXT_CURSOR_HEADER = 'X-Next-Cursor';
export const TOTAL_COUNT_HEADER = 'X-Total-Count';
const UNCOUNTED_LIST_HEADERS = {
  [NEXT_CURSOR_HEADER]: {
    description: '`cursor` of the next page; absent on the last page',
    schema: { type: 'string' as const },
  },
};
const LIST_HEADERS = {
  [TOTAL_COUNT_HEADER]: {
    description: 'Number of rows in the whole list; absent with `total=false`',
    schema: { type: 'integer' as const },
  },
  ...UNCOUNTED_LIST_HEADERS,
};
const REDACTION = 'route:redaction';

/** Documented headers of a response, by name. */
export type ResponseHeaders = Readonly<
  Record<string, { readonly description: string; readonly schema: { readonly type: 'integer' | 'string' } }>
>;

export interface ReturnsOptions {
  readonly status?: 200 | 201;
  readonly description?: string;
  readonly headers?: ResponseHeaders;
}

/** The successful response of a route: its status and the shape of its body. */
export function Returns(shape: Shape | StringConstructor, options: ReturnsOptions = {}): MethodDecorator {
  const { status = 200, description = '', headers } = options;
  return applyDecorators(
    HttpCode(status),
    SetMetadata(REDACTION, redactionOf(shape)),
    ApiResponse({ status, type: shape, description, ...(headers === undefined ? {} : { headers }) }),
  );
}

/** Returns the function that removes the `secret` fields from a response of the route; undefined if it has none. */
export function redactionFor(handler: object): Redaction | undefined {
  return Reflect.getMetadata(REDACTION, handler) as Redaction | undefined;
}

export interface ListOptions {
  readonly description?: string;
  /** Headers in addition to those of the paging. */
  readonly headers?: ResponseHeaders;
  /** The largest number of rows of a list without pages. More rows cause the conflict `related_data_too_large`. */
  readonly maxItems?: number;
  /** False: the request bounds the rows, and the response has no headers about them. */
  readonly isCounted?: false;
}

/**
 * A bare array. By default it has pages, with the paging in `X-Total-Count` and `X-Next-Cursor`, and the handler returns
 * a `PageResult`. With `maxItems` or `isCounted: false` it has no pages, and the handler returns the array.
 */
export function ReturnsList(shape: Shape | StringConstructor, options: ListOptions = {}): MethodDecorator {
  const { description = '', headers = {}, maxItems, isCounted = true } = options;
  if (!isCounted) {
    return applyDecorators(
      SetMetadata(LISTED, 'uncounted'),
      HttpCode(200),
      ApiResponse({ status: 200, type: shape, isArray: true, description }),
    );
  }
  if (maxItems !== undefined) return wholeList(shape, maxItems);
  return applyDecorators(
    SetMetadata(LISTED, 'bare'),
    HttpCode(200),
    ApiResponse({ status: 200, type: shape, isArray: true, description, headers: { ...LIST_HEADERS, ...headers } }),
  );
}

function wholeList(shape: Shape | StringConstructor, maxItems: number): MethodDecorator {
  return applyDecorators(
    SetMetadata(LISTED, 'whole'),
    SetMetadata(MAX_ITEMS, maxItems),
    HttpCode(200),
    ApiExtraModels(shape),
    ApiResponse({
      status: 200,
      description: `Whole list, without pages: at most ${maxItems} rows`,
      schema: { type: 'array', maxItems, items: { $ref: getSchemaPath(shape) } },
      headers: { [TOTAL_COUNT_HEADER]: { description: 'Number of rows', schema: { type: 'integer' } } },
    }),
  );
}

/** The paging fields of a response that contains its list. */
export interface PagedBody {
  readonly total?: number | null;
  readonly next_cursor: string | null;
}

/** A list with its paging in the body, and also in `X-Next-Cursor` and, if the list is counted, `X-Total-Count`. */
export function ReturnsPage(shape: new () => PagedBody, { counted = true } = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(LISTED, 'paged'),
    SetMetadata(REDACTION, redactionOf(shape)),
    HttpCode(200),
    ApiResponse({
      status: 200,
      type: shape,
      description: '',
      headers: counted ? LIST_HEADERS : UNCOUNTED_LIST_HEADERS,
    }),
  );
}

/**
 * Whether a handler declares what it returns. Other handlers, such as those of streams, send the response themselves.
 */
export const answersOnce = perHandler(
  (handler) => Reflect.hasMetadata(REDACTION, handler) || Reflect.hasMetadata(LISTED, handler),
);

export function ReturnsNoContent(): MethodDecorator {
  return applyDecorators(HttpCode(204), ApiResponse({ status: 204, description: 'Success, without a body' }));
}

/** How a route returns a list: in the body (`paged`) or as a bare array; undefined if it returns none. */
export const listFormOf = perHandler(
  (handler) => Reflect.getMetadata(LISTED, handler) as 'bare' | 'paged' | 'uncounted' | 'whole' | undefined,
);

export const maxItemsOf = perHandler((handler) => Reflect.getMetadata(MAX_ITEMS, handler) as number);
