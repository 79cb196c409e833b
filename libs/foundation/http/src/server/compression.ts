import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';

/** In bytes. Compressing a shorter response costs more time than it saves. */
const THRESHOLD = 32 * 1024;

/**
 * Compresses JSON responses to reads for clients that accept it. Never compresses a stream, whose events would be
 * delayed in the buffer of the compressor. Never compresses a response with `no-store` either, because the length of a
 * compressed response reveals information about a secret in it.
 */
export const compressionMiddleware: RequestHandler = (request, response, next) => {
  const { 'accept-encoding': accepted } = request.headers;
  if (accepted !== undefined) request.headers['accept-encoding'] = withoutBrotli(accepted);
  compress(request, response, next);
};

/**
 * At the lowest level: a response of 8 MB takes half of the CPU time of the default level, and is a tenth longer.
 */
const compress = compression({ threshold: THRESHOLD, filter: isCompressed, level: constants.Z_BEST_SPEED });

/**
 * Removes Brotli, which the compressor would prefer: it costs more CPU than it saves on a response that is sent once.
 */
function withoutBrotli(accepted: string): string {
  return accepted
    .split(',')
    .filter((coding) => !/^\s*br\b/i.test(coding))
    .join(',');
}

function isCompressed({ method }: IncomingMessage, response: ServerResponse): boolean {
  const type = String(response.getHeader('content-type') ?? '');
  const storable = !String(response.getHeader('cache-control') ?? '').includes('no-store');
  return method === 'GET' && storable && /^application\/json\b/.test(type);
}
