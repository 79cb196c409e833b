import type { IncomingMessage, ServerResponse } from 'node:http';
import { runInContext } from '@app/observability';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { WireRequest } from '../routes/access.js';
import { logAnswer, openContext } from './request-context.js';

/** Bytes. */
export const BODY_LIMIT = 1_048_576;
const LARGE_BODY_LIMIT = 10 * BODY_LIMIT;

export function contextMiddleware(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const startedAt = performance.now();
  const routine = (request.url ?? '').startsWith('/api/health');
  const context = openContext(request, response);
  response.on('finish', () => runInContext(context, () => logAnswer(request, response, startedAt, routine)));
  runInContext(context, next);
}

/** Reads the bytes (inflating them where they are compressed) and keeps them: for signatures, and to be parsed later. */
export function bodyMiddleware(largeBodies: readonly RegExp[]): RequestHandler {
  const ordinary = express.raw({ type: () => true, limit: BODY_LIMIT });
  const large = express.raw({ type: () => true, limit: LARGE_BODY_LIMIT });
  return (request: Request & WireRequest, response: Response, next: NextFunction) => {
    const read = largeBodies.some((path) => path.test(request.path)) ? large : ordinary;
    read(request, response, (error?: unknown) => {
      if (error !== undefined) return next(error);
      request.rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      request.body = undefined;
      next();
    });
  };
}
