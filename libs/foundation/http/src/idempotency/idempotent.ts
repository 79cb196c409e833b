import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiHeader } from '@nestjs/swagger';
import { perHandler } from '../routes/per-handler.js';

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
        'Idempotency key. Within 24 hours, the same request (method, URL and body) with the same key returns the first response again; its secrets are returned only to the same API key',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
}

/**
 * The route is a POST that a client may send again without an `Idempotency-Key`, because a repetition changes nothing
 * more. The generated client retries these routes and those with the key, and no other POST.
 */
export const NaturallyIdempotent = (): MethodDecorator => ApiExtension('x-idempotent', true);

export const isIdempotent = perHandler((handler) => Reflect.getMetadata(IDEMPOTENT, handler) === true);

/** Whether the body of an idempotent route contains a secret. */
export const hasSecretBody = perHandler((handler) => Reflect.getMetadata(SECRET_BODY, handler) === true);
