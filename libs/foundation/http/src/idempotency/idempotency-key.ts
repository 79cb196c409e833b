import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { InvalidRequest, type LocatedFault } from '../errors/invalid-request.js';
import type { WireRequest } from '../wire/wire-request.js';

const MAX_LENGTH = 255;
/** The header of a replayed response. */
export const REPLAYED = 'Idempotent-Replayed';

/** A request with an `Idempotency-Key`, on a route whose handler stores the keys itself. */
export interface RepeatableRequest {
  readonly key: string;
  /** SHA-256 of the body. The same key with another digest is a different request. */
  readonly digest: string;
  /** Marks the response as a replay of the response to an earlier request. */
  readonly noteReplay: () => void;
}

/** The `RepeatableRequest`, or `null` if the request has no key. */
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
  if (faults.length > 0) throw new InvalidRequest(faults);
  return sentKey(request) ?? null;
}

export function idempotencyKeyFaults(request: WireRequest): LocatedFault[] {
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
