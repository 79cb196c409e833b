import type { ServerResponse } from 'node:http';
import { conflict, type PageResult } from '@app/kernel';
import {
  applyDecorators,
  HttpCode,
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { map, type Observable } from 'rxjs';
import { redactionOf, type Redaction } from '../wire/response-fields.js';
import { KeepsAsyncContext } from './async-context.js';
import { perHandler } from './per-handler.js';

type Shape = new () => object;

const LISTED = 'route:listed';
const MAX_ITEMS = 'route:max-items';
const NEXT_CURSOR_HEADER = 'X-Next-Cursor';
const TOTAL_COUNT_HEADER = 'X-Total-Count';
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
  /** A bare array without paging. */
  readonly list?: boolean;
  readonly headers?: ResponseHeaders;
}

/** The successful response of a route: its status and the shape of its body. */
export function Returns(shape: Shape | StringConstructor, options: ReturnsOptions = {}): MethodDecorator {
  const { status = 200, description = '', list = false, headers } = options;
  return applyDecorators(
    HttpCode(status),
    SetMetadata(REDACTION, redactionOf(shape)),
    ApiResponse({ status, type: shape, isArray: list, description, ...(headers === undefined ? {} : { headers }) }),
  );
}

/** Returns the function that removes the `secret` fields from a response of the route; undefined if it has none. */
export function redactionFor(handler: object): Redaction | undefined {
  return Reflect.getMetadata(REDACTION, handler) as Redaction | undefined;
}

/** A bare array with its paging in `X-Total-Count` and `X-Next-Cursor`; the handler returns a `PageResult`. */
export function ReturnsList(
  shape: Shape | StringConstructor,
  description = '',
  headers: ResponseHeaders = {},
): MethodDecorator {
  return applyDecorators(
    SetMetadata(LISTED, 'bare'),
    HttpCode(200),
    ApiResponse({ status: 200, type: shape, isArray: true, description, headers: { ...LIST_HEADERS, ...headers } }),
  );
}

/** The successful response of a route with a bare array of at most `maxItems` rows and no pages. */
export function ApiWholeList(shape: Shape, maxItems: number): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(shape),
    ApiResponse({
      status: 200,
      description: `Whole list, without pages: at most ${maxItems} rows`,
      schema: { type: 'array', maxItems, items: { $ref: getSchemaPath(shape) } },
      headers: { [TOTAL_COUNT_HEADER]: { description: 'Number of rows', schema: { type: 'integer' } } },
    }),
  );
}

/**
 * A bare array without pages, for clients that need a small set as a whole; the handler returns the array. With more
 * than `maxItems` rows, the response is the conflict `related_data_too_large`.
 */
export function ReturnsWholeList(shape: Shape, maxItems: number): MethodDecorator {
  return applyDecorators(
    SetMetadata(LISTED, 'whole'),
    SetMetadata(MAX_ITEMS, maxItems),
    HttpCode(200),
    ApiWholeList(shape, maxItems),
  );
}

/** The paging fields of a response that contains its list. */
interface PagedBody {
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

const IDEMPOTENT = 'route:idempotent';
const SECRET_BODY = 'route:secret-body';

export interface IdempotentOptions {
  /** The body contains a secret: the stored digest of the request is keyed with the API key, so that it cannot be guessed. */
  readonly secretBody?: boolean;
}

/** The route creates or starts something, and accepts an `Idempotency-Key`. */
export function Idempotent({ secretBody = false }: IdempotentOptions = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(IDEMPOTENT, true),
    SetMetadata(SECRET_BODY, secretBody),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Idempotency key. Within 24 hours, a request with the same key and body returns the first response again; its secrets are returned only to the same API key',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
}

export const isIdempotent = perHandler((handler) => Reflect.getMetadata(IDEMPOTENT, handler) === true);

/** Whether the body of an idempotent route contains a secret. */
export const hasSecretBody = perHandler((handler) => Reflect.getMetadata(SECRET_BODY, handler) === true);

const listForm = perHandler(
  (handler) => Reflect.getMetadata(LISTED, handler) as 'bare' | 'paged' | 'whole' | undefined,
);

function checkedWhole(items: readonly unknown[], handler: object): PageResult<unknown> {
  const max = Reflect.getMetadata(MAX_ITEMS, handler) as number;
  if (items.length > max) throw conflict('related_data_too_large', `The list would have more than ${max} rows`);
  return { items, total: items.length, nextCursor: undefined };
}

@Injectable()
@KeepsAsyncContext()
export class ListInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const form = listForm(context.getHandler());
    if (form === undefined) return next.handle();
    const response = context.switchToHttp().getResponse<ServerResponse>();
    return next.handle().pipe(
      map((answer: PageResult<unknown> | PagedBody | unknown[]) => {
        const listed = Array.isArray(answer) ? checkedWhole(answer, context.getHandler()) : answer;
        const isBare = form !== 'paged';
        const next = isBare ? (listed as PageResult<unknown>).nextCursor : (listed as PagedBody).next_cursor;
        if (listed.total != null) response.setHeader(TOTAL_COUNT_HEADER, String(listed.total));
        if (next != null) response.setHeader(NEXT_CURSOR_HEADER, next);
        return isBare ? (listed as PageResult<unknown>).items : listed;
      }),
    );
  }
}
