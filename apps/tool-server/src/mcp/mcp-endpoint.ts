import { randomUUID } from 'node:crypto';
import { createLogger } from '@app/observability';
import { scopeOf } from '@app/workflow-tools';
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
/** A JSON-RPC batch of the protocol version 2025-03-26. */
const MAX_MESSAGES = 100;

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null;
}

/** The MCP endpoint behind the checks of the HTTP layer: checks the scopes of each message, then hands it to the package. */
@Injectable()
export class McpEndpoint implements OnApplicationShutdown {
  private readonly logger = createLogger('tool-server');
  private readonly handler: McpHttpHandler;
  private readonly calls = new OpenCalls();

  constructor(
    @Inject(SERVER_FACTORY) factory: McpServerFactory,
    private readonly urls: ServerUrls,
    private readonly identity: ToolServerIdentityConfig,
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
    const messages = messagesIn(body);
    const rejection = this.scopeFault(messages, authInfo);
    if (rejection !== null) return rejection;
    const signals = [request.signal];
    const ends: (() => void)[] = [];
    const sessionId = request.headers.get(SESSION_HEADER);
    for (const { id, method, params } of sessionId === null ? [] : messages) {
      if (method === 'notifications/cancelled') this.calls.cancel(sessionId ?? '', params?.requestId);
      if (method !== 'tools/call') continue;
      const { signal, end } = this.calls.begin(sessionId ?? '', id);
      signals.push(signal);
      ends.push(end);
    }
    const { url, method, headers } = request;
    const forwarded = new Request(url, { method, headers, body: body ?? null, signal: AbortSignal.any(signals) });
    const response = await this.handler.fetch(forwarded, authInfo === undefined ? {} : { authInfo });
    if (messages.some((message) => message.method === 'initialize')) {
      response.headers.set(SESSION_HEADER, sessionId ?? randomUUID());
    }
    return ends.length === 0 ? response : whenRead(response, () => ends.forEach((end) => end()));
  };

  private scopeFault(messages: readonly Message[], authInfo: AuthInfo | undefined): Response | null {
    const token = verifiedToken(authInfo);
    if (token === null) return null;
    const needed = messages.map(scopeOf).filter((scope) => scope !== null);
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

/** Returns the messages of a body; none if it is not JSON, which the package rejects. */
function messagesIn(body: string | undefined): readonly Message[] {
  try {
    const parsed: unknown = JSON.parse(body ?? '[]');
    const messages = Array.isArray(parsed) ? parsed.slice(0, MAX_MESSAGES) : [parsed];
    return messages.filter((message): message is Message => typeof message === 'object' && message !== null);
  } catch {
    return [];
  }
}

/** Calls `onEnd` once when the body of a response has been read or will not be read. */
function whenRead(response: Response, onEnd: () => void): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  const watched = response.body.pipeThrough(new TransformStream({ flush: onEnd }));
  return new Response(watched, response);
}
