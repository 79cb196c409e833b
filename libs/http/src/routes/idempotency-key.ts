import { invalid } from '@app/kernel';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { WireRequest } from './access.js';

const MAX_LENGTH = 255;

/** The request's `Idempotency-Key`, or `null` where it has none, for a route that keeps such keys itself. */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext): string | null =>
  idempotencyKeyOf(context.switchToHttp().getRequest<WireRequest>()),
);

export function idempotencyKeyOf({ headers }: WireRequest): string | null {
  const header = headers['idempotency-key'];
  if (header === undefined) return null;
  const key = Array.isArray(header) ? header.join(',') : header;
  if (key.length < 1 || key.length > MAX_LENGTH) {
    const msg = `Idempotency-Key should have 1 to ${MAX_LENGTH} characters`;
    const type = key.length < 1 ? 'string_too_short' : 'string_too_long';
    throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type }]);
  }
  return key;
}
