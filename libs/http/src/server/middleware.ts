import type { IncomingMessage, ServerResponse } from 'node:http';
import { runInContext } from '@app/observability';
import { logResponse, openContext } from './request-context.js';

export function contextMiddleware(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const startedAt = performance.now();
  const routine = (request.url ?? '').startsWith('/api/health');
  const context = openContext(request, response);
  response.on('finish', () => runInContext(context, () => logResponse(request, response, startedAt, routine)));
  runInContext(context, next);
}
