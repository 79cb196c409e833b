import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { handleChatCompletion } from './chat-handler.js';
import { GatewayError, invalidRequest } from './gateway-error.js';
import { describeModel, DEVELOPMENT_MODELS, findModel } from './models.js';

const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface GatewayOptions {
  /** The required Bearer token; with null every request is accepted. */
  readonly apiKey: string | null;
}

/** Returns the development model gateway as an HTTP server that is not listening yet. */
export function createModelGateway(options: GatewayOptions): Server {
  return createServer((request, response) => {
    response.setHeader('x-model-gateway', 'development');
    route(request, response, options).catch((error: unknown) => sendError(response, error));
  });
}

async function route(request: IncomingMessage, response: ServerResponse, options: GatewayOptions): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://gateway').pathname;
  if (path === '/health') return sendJson(response, 200, { status: 'ok' });
  authorize(request, options);
  if (path === '/v1/chat/completions') {
    requireMethod(request, 'POST', path);
    return handleChatCompletion(parseJson(await readBody(request)), response);
  }
  if (path === '/v1/models' || path.startsWith('/v1/models/')) {
    requireMethod(request, 'GET', path);
    return sendJson(response, 200, describeModels(path));
  }
  throw new GatewayError(404, `Unknown request URL: ${request.method} ${path}.`, 'unknown_url');
}

function describeModels(path: string): object {
  if (path === '/v1/models') return { object: 'list', data: DEVELOPMENT_MODELS.map(describeModel) };
  const id = decodeURIComponent(path.slice('/v1/models/'.length));
  const model = findModel(id);
  if (model === undefined) throw new GatewayError(404, `The model '${id}' does not exist.`, 'model_not_found', 'model');
  return describeModel(model);
}

function authorize(request: IncomingMessage, options: GatewayOptions): void {
  if (options.apiKey === null || request.headers.authorization === `Bearer ${options.apiKey}`) return;
  const hasKey = request.headers.authorization !== undefined;
  const message = hasKey ? 'Incorrect API key provided.' : "You didn't provide an API key.";
  throw new GatewayError(401, message, hasKey ? 'invalid_api_key' : null);
}

function requireMethod(request: IncomingMessage, method: string, path: string): void {
  if (request.method === method) return;
  throw new GatewayError(405, `Not allowed to ${request.method} on ${path} (only ${method}).`, 'method_not_supported');
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new GatewayError(413, 'The request body exceeds 10 MiB.', 'request_too_large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('We could not parse the JSON body of your request.', null);
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const failure = error instanceof GatewayError ? error : new GatewayError(500, 'Internal error of the gateway.', null);
  if (failure.retryAfterSeconds !== null) response.setHeader('retry-after', failure.retryAfterSeconds);
  if (failure.status === 413) response.setHeader('connection', 'close');
  sendJson(response, failure.status, failure.body());
}
