import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CrossOriginConfig } from '@app/config';
import cors from 'cors';

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** What scripts of other origins may read of an answer beside its body. */
const EXPOSED = [
  ...['X-Request-Id', 'X-Total-Count', 'Idempotent-Replayed', 'X-Worker-Commands'],
  ...['Retry-After', 'WWW-Authenticate'],
];
/** How long a browser remembers what it may send, in seconds. */
const REMEMBERED_S = 600;

/** Lets the pages of the given origins call the API, after the Fetch standard; answers their preflights. */
export function crossOriginMiddleware({ origins }: CrossOriginConfig): Middleware {
  if (origins.length === 0) return (_request, _response, next) => next();
  const origin = origins.includes('*') ? '*' : [...origins];
  return cors({ origin, exposedHeaders: EXPOSED, maxAge: REMEMBERED_S });
}
