import type { Listed } from '@app/kernel';
import {
  applyDecorators,
  HttpCode,
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { redactionOf, type Redaction } from '../wire/response-fields.js';

type Shape = new () => object;

const LISTED = 'route:listed';
const TOTAL_COUNT = {
  'X-Total-Count': { description: 'Rows of the whole list', schema: { type: 'integer' as const } },
};
export const REDACTION = 'route:redaction';

export interface AnswerOptions {
  readonly status?: 200 | 201;
  readonly description?: string;
  /** A bare array without paging. */
  readonly list?: boolean;
}

/** What a route answers when all goes well: its status and the shape of its body. */
export function Answers(shape: Shape | StringConstructor, options: AnswerOptions = {}): MethodDecorator {
  const { status = 200, description = '', list = false } = options;
  return applyDecorators(
    HttpCode(status),
    SetMetadata(REDACTION, redactionOf(shape)),
    ApiResponse({ status, type: shape, isArray: list, description }),
  );
}

/** How what the route answers is told without its secrets (`secret` fields of its class); undefined if it has none. */
export function redactionFor(handler: object): Redaction | undefined {
  return Reflect.getMetadata(REDACTION, handler) as Redaction | undefined;
}

/** A bare array with the size of the whole list in `X-Total-Count`; the handler returns a `Listed`. */
export function AnswersList(shape: Shape | StringConstructor, description = ''): MethodDecorator {
  return applyDecorators(
    SetMetadata(LISTED, 'bare'),
    HttpCode(200),
    ApiResponse({ status: 200, type: shape, isArray: true, description, headers: TOTAL_COUNT }),
  );
}

/** A list with its paging in the body, whose size is in `X-Total-Count` as well, as on every list. */
export function AnswersPage(shape: new () => { readonly total: number }, description = ''): MethodDecorator {
  return applyDecorators(
    SetMetadata(LISTED, 'paged'),
    SetMetadata(REDACTION, redactionOf(shape)),
    HttpCode(200),
    ApiResponse({ status: 200, type: shape, description, headers: TOTAL_COUNT }),
  );
}

export function AnswersNothing(): MethodDecorator {
  return applyDecorators(HttpCode(204), ApiResponse({ status: 204, description: 'Done; no body' }));
}

export const IDEMPOTENT = 'route:idempotent';

/** The route makes or starts something, and honours `Idempotency-Key`. */
export function Idempotent(): MethodDecorator {
  return applyDecorators(
    SetMetadata(IDEMPOTENT, true),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'The same key and body within 24 hours answer the first result again, secrets in it only to the same API key.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
}

export function isIdempotent(handler: object): boolean {
  return Reflect.getMetadata(IDEMPOTENT, handler) === true;
}

@Injectable()
export class ListInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const form = Reflect.getMetadata(LISTED, context.getHandler()) as 'bare' | 'paged' | undefined;
    if (form === undefined) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((listed: Listed<unknown>) => {
        response.setHeader('X-Total-Count', String(listed.total));
        return form === 'bare' ? listed.items : listed;
      }),
    );
  }
}
