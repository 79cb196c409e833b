import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CrossOriginConfig } from '@app/config';
import cors from 'cors';
import { ERROR_CODE_HEADER } from '../wire/error-codes.js';
import { IGNORED_FIELDS_HEADER } from '../wire/ignored-fields.js';

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** The response headers that scripts of other origins may read. */
const EXPOSED = [
  'X-Request-Id',
  ERROR_CODE_HEADER,
  'X-Total-Count',
  'X-Next-Cursor',
  'Idempotent-Replayed',
  'X-Worker-Commands',
  'Retry-After',
  'WWW-Authenticate',
  IGNORED_FIELDS_HEADER,
  'X-Notice',
  'X-Catalogue-Source',
  'Age',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Burst-Limit',
  'X-RateLimit-Burst-Remaining',
];
/** How long a browser caches a preflight, in seconds. */
const PREFLIGHT_MAX_AGE_S = 600;

/** CORS middleware: allows pages of the given origins to call the API and responds to their preflights. */
export function crossOriginMiddleware({ origins }: CrossOriginConfig): Middleware {
  if (origins.length === 0) return (_request, _response, next) => next();
  const origin = origins.includes('*') ? '*' : [...origins];
  return cors({ origin, exposedHeaders: EXPOSED, maxAge: PREFLIGHT_MAX_AGE_S });
}
