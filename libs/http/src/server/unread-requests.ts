import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '@app/kernel';
import { createLogger } from '@app/observability';
import { WireProblem } from '../wire/wire-problem.js';
import { renderError, type ErrorWording } from './error.filter.js';
import { logAnswer, openContext } from './request-context.js';
import { sendJson, wholeAnswer } from './send-json.js';

const logger = createLogger('http');

/** What Node's parser says of a request that it can not hand on; anything else is a bad request. */
const PROBLEMS: Readonly<Record<string, WireProblem>> = {
  HPE_HEADER_OVERFLOW: new WireProblem(431, 'The address and the headers are too large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new WireProblem(413, 'The body is too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new WireProblem(408, 'The request took too long to arrive'),
};
const BAD_REQUEST = new WireProblem(400, 'Bad request');

export const NO_HOST = new WireProblem(400, 'Send a Host header');
export const UNKNOWN_EXPECTATION = new WireProblem(417, 'The only expectation that can be met is 100-continue');

/**
 * Answers a request that no route will see, in the API's own form. Never throws: it is called by the server itself,
 * with nobody above who would catch.
 */
export function refuseUnread(
  request: IncomingMessage,
  response: ServerResponse,
  problem: WireProblem,
  wording: ErrorWording,
): void {
  const startedAt = performance.now();
  openContext(request, response);
  const { status, headers, body } = renderError(problem, wording);
  sendJson(response, status, { ...headers, Connection: 'close' }, body);
  logAnswer(request, response, startedAt, false);
}

/** The same for what is no request at all, or not yet: there is only a connection to write to. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex, wording: ErrorWording): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, headers, body } = renderError(PROBLEMS[error.code ?? ''] ?? BAD_REQUEST, wording);
  const requestId = newId();
  const { text, all } = wholeAnswer({ ...headers, 'X-Request-Id': requestId, Connection: 'close' }, body);
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`, () =>
    socket.destroy(),
  );
  logger.info({ requestId, status, reason: error.code }, 'request refused before it could be read');
}
