import { randomUUID } from 'node:crypto';
import { parseExactJson, withoutUndefined } from '@app/kernel';
import { createLogger } from '@app/observability';
import { scopesOf } from '@app/mcp-tools';
import {
  createMcpHandler,
  type AuthInfo,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  type McpServerFactory,
} from '@modelcontextprotocol/server';
import { ToolServerIdentityConfig } from '@app/config';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { verifiedToken } from '../auth/access.guard.js';
import { challengeHeader, OAuthFault, oauthErrorBody } from '../auth/oauth-fault.js';
import { ServerUrls } from '../auth/server-urls.js';
import { checkScopes } from '../auth/token-verifier.js';
import { OpenCalls } from './open-calls.js';

/** Creates the MCP server of each request. */
export const SERVER_FACTORY = 'mcp-server-factory';
const SESSION_HEADER = 'mcp-session-id';

export const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Codes of JSON-RPC and of its implementations. */
const [PARSE_ERROR, SERVER_ERROR] = [-32_700, -32_000];
export const BODY_TOO_LARGE = errorOf(SERVER_ERROR, `The body is too large: at most ${MAX_BODY_BYTES} bytes`);

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null;
}

/** The session that a request names, and the subject of its token. */
interface Session {
  readonly id: string | null;
  readonly subject: string | null;
}

interface OpenedCalls {
  /** Aborts when the client cancels one of the calls or has left. */
  readonly signal: AbortSignal;
  /** Must be called when the response is complete. */
  readonly end: () => void;
}

/** The MCP endpoint behind the checks of the HTTP layer: checks the scopes of each message, then hands it to the package. */
@Injectable()
export class McpEndpoint implements OnApplicationShutdown {
  private readonly logger = createLogger('tool-server');
  private readonly handler: McpHttpHandler;

  constructor(
    @Inject(SERVER_FACTORY) factory: McpServerFactory,
    private readonly urls: ServerUrls,
    private readonly identity: ToolServerIdentityConfig,
    private readonly calls: OpenCalls,
  ) {
    const onerror = (error: Error): void => this.logger.warn({ reason: error.message }, 'MCP request failed');
    this.handler = createMcpHandler(factory, { legacy: 'stateless', onerror });
  }

  onApplicationShutdown(): Promise<void> {
    return this.handler.close();
  }

  readonly fetch = async (request: Request, options: McpHandlerRequestOptions = {}): Promise<Response> => {
    const { authInfo } = options;
    const body = request.method === 'POST' ? await request.text() : undefined;
    const parsedBody = body === undefined ? undefined : parsed(body);
    if (parsedBody instanceof Response) return parsedBody;
    const messages = messagesIn(parsedBody);
    const rejection = this.scopeFault(messages, authInfo);
    if (rejection !== null) return rejection;
    const { url, method, headers } = request;
    const session = { id: headers.get(SESSION_HEADER), subject: verifiedToken(authInfo)?.subject ?? null };
    const calls = this.openCalls(messages, session, request.signal);
    try {
      const forwarded = new Request(url, { method, headers, body: body ?? null, signal: calls.signal });
      const response = await this.handler.fetch(forwarded, withoutUndefined({ authInfo, parsedBody }));
      if (messages.some((message) => message.method === 'initialize')) {
        response.headers.set(SESSION_HEADER, randomUUID());
      }
      return whenRead(response, calls.end);
    } catch (error) {
      calls.end();
      throw error;
    }
  };

  /** Cancels the calls that the messages name, and begins those that they are, until the client has left or `end`. */
  private openCalls(messages: readonly Message[], { id, subject }: Session, left: AbortSignal): OpenedCalls {
    if (id === null) return { signal: left, end: () => undefined };
    const session = { id, subject };
    for (const { method, params } of messages) {
      if (method === 'notifications/cancelled') this.calls.cancel(session, params?.requestId);
    }
    const called = messages.filter(({ method }) => method === 'tools/call');
    const begun = called.map((message) => this.calls.begin(session, message.id));
    const end = (): void => begun.forEach((call) => call.end());
    left.addEventListener('abort', end, { once: true });
    return { signal: AbortSignal.any([left, ...begun.map(({ signal }) => signal)]), end };
  }

  private scopeFault(messages: readonly Message[], authInfo: AuthInfo | undefined): Response | null {
    const token = verifiedToken(authInfo);
    if (token === null) return null;
    const needed = messages.flatMap(scopesOf);
    try {
      checkScopes(token.scopes, needed, [...this.identity.requiredScopes, ...needed]);
      return null;
    } catch (error) {
      if (!(error instanceof OAuthFault)) throw error;
      this.logger.info({ subject: token.subject, reason: error.message }, 'request rejected');
      const headers = { 'WWW-Authenticate': challengeHeader(error, this.urls.resourceMetadata) };
      return Response.json(oauthErrorBody(error), { status: error.challenge.status, headers });
    }
  }
}

/**
 * Returns the parsed body, or the response to a body that is not JSON or is too large. The package must parse no body
 * itself: it would round numbers in the arguments of tools, and it ignores another number of byte order marks, so it could
 * read calls in a text in which no scopes were found here.
 */
function parsed(body: string): unknown {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    return Response.json(BODY_TOO_LARGE, { status: 413 });
  }
  try {
    return parseExactJson(body);
  } catch {
    return rejected(400, PARSE_ERROR, 'Parse error: the request body is not valid JSON');
  }
}

function rejected(status: number, code: number, message: string): Response {
  return Response.json(errorOf(code, message), { status });
}

function errorOf(code: number, message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}

/** Returns all messages of a body, which can be a batch. */
function messagesIn(body: unknown): readonly Message[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.filter((message): message is Message => typeof message === 'object' && message !== null);
}

/** Calls `onEnd` when the body of a response has been read. */
function whenRead(response: Response, onEnd: () => void): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  const watched = response.body.pipeThrough(new TransformStream({ flush: onEnd }));
  return new Response(watched, response);
}
