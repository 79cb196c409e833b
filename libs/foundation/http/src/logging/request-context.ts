import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLogger, traceContextFrom, type RequestContext } from '@app/observability';
import { loggedPath } from './logged-path.js';

const logger = createLogger('http');
const ACCEPTABLE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the trace and the id of the request; a new id if the sent one is missing or invalid. Sets `X-Request-Id`. */
export function openContext(request: IncomingMessage, response: ServerResponse): RequestContext {
  const sent = request.headers['x-request-id'];
  // `newId` would cost ten times as much, and requests are not ordered by their id.
  const requestId = typeof sent === 'string' && ACCEPTABLE_ID.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', requestId);
  const { traceparent, tracestate } = request.headers;
  return { requestId, ...traceContextFrom(textOf(traceparent), textOf(tracestate)) };
}

/** Node joins repeated headers, but types them as lists. */
function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** Logs one line per response: 5xx at error, routine traffic (polls, heartbeats, events, probes) at debug. */
export function logResponse(
  request: IncomingMessage,
  response: ServerResponse,
  startedAt: number,
  routine: boolean,
): void {
  const level = response.statusCode >= 500 ? 'error' : routine ? 'debug' : 'info';
  if (!logger.isLevelEnabled(level)) return;
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  logger[level](
    { method: request.method, path: loggedPath(request.url), status: response.statusCode, ms },
    'request completed',
  );
}
