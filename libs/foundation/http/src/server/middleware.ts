import type { IncomingMessage, ServerResponse } from 'node:http';
import { runInContext } from '@app/observability';
import { onResponseClosed } from '../wire/on-response-closed.js';
import { logResponse, openContext } from '../logging/request-context.js';
import { observeOrdinary } from '../metrics/request-metrics.js';

/** Probes and scrapes, which are logged at debug. */
const ROUTINE = /^\/(?:api\/health|metrics)\b/;

export function contextMiddleware(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const startedAt = performance.now();
  const routine = ROUTINE.test(request.url ?? '');
  const context = openContext(request, response);
  response.on('finish', () => runInContext(context, () => logResponse(request, response, startedAt, routine)));
  onResponseClosed(response, () => observeOrdinary(request, response, startedAt));
  runInContext(context, next);
}
