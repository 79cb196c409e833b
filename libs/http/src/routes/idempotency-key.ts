import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { invalid, type Fault } from '@app/kernel';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { WireRequest } from './access.js';

const MAX_LENGTH = 255;
/** The header of an answer that was given before. */
export const REPLAYED = 'Idempotent-Replayed';

/** A request that carries an `Idempotency-Key`, on a route that remembers such requests itself. */
export interface RepeatableRequest {
  readonly key: string;
  /** Another one under the same key is another request. */
  readonly digest: string;
  /** Says beside the answer that it is the one an earlier request got. */
  readonly noteReplay: () => void;
}

/** That request, or `null` where it has no key. */
export const Repeatable = createParamDecorator(
  (_data: unknown, context: ExecutionContext): RepeatableRequest | null => {
    const request = context.switchToHttp().getRequest<WireRequest>();
    const response = context.switchToHttp().getResponse<ServerResponse>();
    const key = idempotencyKeyOf(request);
    if (key === null) return null;
    return {
      key,
      digest: createHash('sha256')
        .update(request.rawBody ?? '')
        .digest('base64'),
      noteReplay: () => void response.setHeader(REPLAYED, 'true'),
    };
  },
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
