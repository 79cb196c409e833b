import { invalid, type Fault } from '@app/kernel';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { WireRequest } from './access.js';

const MAX_LENGTH = 255;

/** The request's `Idempotency-Key`, or `null` where it has none, for a route that keeps such keys itself. */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext): string | null =>
  idempotencyKeyOf(context.switchToHttp().getRequest<WireRequest>()),
);

export function idempotencyKeyOf(request: WireRequest): string | null {
  const faults = idempotencyKeyFaults(request);
  if (faults.length > 0) throw invalid(faults);
  return sentKey(request) ?? null;
}

export function idempotencyKeyFaults(request: WireRequest): Fault[] {
  const key = sentKey(request);
  if (key === undefined || (key.length >= 1 && key.length <= MAX_LENGTH)) return [];
  const msg = `Idempotency-Key should have 1 to ${MAX_LENGTH} characters`;
  const type = key.length < 1 ? 'string_too_short' : 'string_too_long';
  return [{ loc: ['header', 'Idempotency-Key'], msg, type }];
}

function sentKey({ headers }: WireRequest): string | undefined {
  const header = headers['idempotency-key'];
  return Array.isArray(header) ? header.join(',') : header;
}
