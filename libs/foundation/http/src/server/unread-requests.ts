import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '@app/kernel';
import { createLogger } from '@app/observability';
import { HttpProblem } from '../errors/http-problem.js';
import { renderError, type ErrorFormat } from '../errors/error.filter.js';
import { logResponse, openContext } from '../logging/request-context.js';
import { sendJson, completeResponse } from '../wire/send-json.js';

const logger = createLogger('http');

/** Problems by error code of Node's parser. Any other code means a malformed request. */
const PROBLEMS: Readonly<Record<string, HttpProblem>> = {
  HPE_HEADER_OVERFLOW: new HttpProblem('headers_too_large', 'The address and the headers are too large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new HttpProblem('payload_too_large', 'The body is too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpProblem('request_timeout', 'The request took too long to arrive'),
};
const BAD_REQUEST = new HttpProblem('malformed_request', 'Bad request');

export const NO_HOST = new HttpProblem('host_header_missing', 'Send a Host header');
export const UNKNOWN_EXPECTATION = new HttpProblem(
  'expectation_failed',
  'The only supported expectation is 100-continue',
);

/**
 * Sends the error of a request that reaches no route, in the API's format. Never throws, because the server calls it
 * directly.
 */
export function rejectUnreadRequest(
  request: IncomingMessage,
  response: ServerResponse,
  problem: HttpProblem,
  format: ErrorFormat,
): void {
  const startedAt = performance.now();
  openContext(request, response);
  const { status, headers, body } = renderError(problem, request.method, format);
  sendJson(response, status, { ...headers, Connection: 'close' }, body);
  logResponse(request, response, startedAt, false);
}

/**
 * Sends the error of a request that could not be parsed, for which there is only a connection and no response object.
 */
export function rejectConnection(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  format: ErrorFormat,
  commonHeaders: Readonly<Record<string, string>>,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, headers, body } = renderError(PROBLEMS[error.code ?? ''] ?? BAD_REQUEST, undefined, format);
  const requestId = newId();
  const own = { ...commonHeaders, ...headers, 'X-Request-Id': requestId, Connection: 'close' };
  const { text, all } = completeResponse(own, body);
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`, () =>
    socket.destroy(),
  );
  logger.info({ requestId, status, reason: error.code }, 'request rejected before it could be read');
}
