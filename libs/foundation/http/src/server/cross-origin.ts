import type { CrossOriginConfig } from '@app/config';
import cors from 'cors';
import type { Middleware } from '../wire/wire-request.js';
import { REPLAYED } from '../idempotency/idempotency-key.js';
import { ENTITY_TAG_HEADER } from '../routes/entity-tag.js';
import { NEXT_CURSOR_HEADER, TOTAL_COUNT_HEADER } from '../routes/returns.js';
import { ERROR_CODE_HEADER } from '../errors/error-codes.js';
import { IGNORED_FIELDS_HEADER } from '../fields/ignored-fields.js';
import { NOTICE_HEADER } from '../wire/notices.js';
import { RETRY_AFTER_HEADER } from '../openapi/openapi-headers.js';

/** The response headers of this lib that scripts of other origins may read. */
const OWN_HEADERS = [
  'X-Request-Id',
  ERROR_CODE_HEADER,
  TOTAL_COUNT_HEADER,
  NEXT_CURSOR_HEADER,
  REPLAYED,
  RETRY_AFTER_HEADER,
  ENTITY_TAG_HEADER,
  'WWW-Authenticate',
  'Content-Disposition',
  IGNORED_FIELDS_HEADER,
  NOTICE_HEADER,
];
/** How long a browser caches a preflight, in seconds. */
const PREFLIGHT_MAX_AGE_S = 600;

/**
 * CORS middleware: allows pages of the given origins to call the API and responds to their preflights.
 *
 * @param headers response headers of the application that scripts of these origins may read
 */
export function crossOriginMiddleware({ origins }: CrossOriginConfig, headers: readonly string[]): Middleware {
  if (origins.length === 0) return (_request, _response, next) => next();
  const origin = origins.includes('*') ? '*' : [...origins];
  return cors({ origin, exposedHeaders: [...OWN_HEADERS, ...headers], maxAge: PREFLIGHT_MAX_AGE_S });
}
