import { provideConfig, reachableUrl, ToolServerConfig, ToolServerIdentityConfig } from '@app/config';
import { MetricsModule } from '@app/metrics';
import { createLogger } from '@app/observability';
import { createWorkflowServer, ExposedWorkflows, simpleMode, type WorkflowServerOptions } from '@app/mcp-tools';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ALLOWED_ORIGINS, AccessGuard, TOKEN_VERIFIER, verifiedToken } from './auth/access.guard.js';
import { AuthorizationServer } from './auth/authorization-server.js';
import { FaultFilter } from './auth/fault.filter.js';
import { ServerUrls } from './auth/server-urls.js';
import { tokenIdentity } from './auth/token-identity.js';
import { covers, TokenVerifier } from './auth/token-verifier.js';
import { AUTHORIZATION_SERVER, WellKnownController } from './auth/well-known.controller.js';
import { HealthController } from './health/health.controller.js';
import { CallAudit } from './mcp/call-audit.js';
import { CallLimits } from './mcp/call-limits.js';
import { McpEndpoint, SERVER_FACTORY } from './mcp/mcp-endpoint.js';
import { McpController } from './mcp/mcp.controller.js';
import { OpenCalls } from './mcp/open-calls.js';
import { Stopping } from './mcp/stopping.js';
import { ToolServerPlatformConfig } from './platform.config.js';

/** Creates the MCP server of one request. Another one, as that of the conformance tests, obeys the same rules for calls. */
export const CREATE_SERVER = 'create-server';

/** The HTTP server: MCP, the documents with which clients find the authorization server, and health. */
@Module({
  imports: [MetricsModule],
  controllers: [McpController, WellKnownController, HealthController],
  providers: [
    provideConfig(ToolServerConfig),
    provideConfig(ToolServerIdentityConfig),
    provideConfig(ToolServerPlatformConfig),
    { provide: APP_FILTER, useClass: FaultFilter },
    { provide: ServerUrls, useFactory: serverUrls, inject: [ToolServerConfig] },
    { provide: ALLOWED_ORIGINS, useFactory: ({ origins }: ToolServerConfig) => origins, inject: [ToolServerConfig] },
    { provide: AUTHORIZATION_SERVER, useFactory: authorizationServer, inject: [ToolServerIdentityConfig] },
    {
      provide: TOKEN_VERIFIER,
      useFactory: tokenVerifier,
      inject: [AUTHORIZATION_SERVER, ToolServerIdentityConfig, ServerUrls],
    },
    { provide: CREATE_SERVER, useValue: createWorkflowServer },
    {
      provide: SERVER_FACTORY,
      useFactory: serverFactory,
      inject: [ToolServerConfig, ToolServerIdentityConfig, ToolServerPlatformConfig, Stopping, CREATE_SERVER],
    },
    Stopping,
    AccessGuard,
    McpEndpoint,
    OpenCalls,
  ],
})
export class ToolServerModule {}

function serverUrls({ publicUrl, host, port }: ToolServerConfig): ServerUrls {
  return new ServerUrls(publicUrl ?? reachableUrl(host, port));
}

function authorizationServer({ authServer, authType }: ToolServerIdentityConfig): AuthorizationServer | null {
  return authServer === null ? null : new AuthorizationServer({ url: authServer, type: authType });
}

function tokenVerifier(
  server: AuthorizationServer | null,
  { requiredScopes, audience }: ToolServerIdentityConfig,
  urls: ServerUrls,
): TokenVerifier | null {
  if (server === null) return null;
  if (audience === null) {
    const audiences = [urls.resource, urls.base, `${urls.base}/`];
    return new TokenVerifier(server, { requiredScopes, audiences, audienceCheck: 'present' });
  }
  const audienceCheck = audience.includes('none') ? 'none' : 'always';
  return new TokenVerifier(server, { requiredScopes, audiences: audience, audienceCheck });
}

function serverFactory(
  { waitSeconds, exposeWorkflows, maxCalls, platformTimeoutMs: timeoutMs }: ToolServerConfig,
  { authServer, serviceApiKey }: ToolServerIdentityConfig,
  { url }: ToolServerPlatformConfig,
  { signal: stopping }: Stopping,
  createServer: typeof createWorkflowServer,
): McpServerFactory {
  const endpoint = { url, timeoutMs };
  const [limits, audit, logger] = [new CallLimits(maxCalls), new CallAudit(endpoint), createLogger('tool-server')];
  const common: Omit<WorkflowServerOptions, 'watch' | 'exposed'> = {
    endpoint,
    identityOf: authServer === null ? simpleMode(serviceApiKey) : tokenIdentity,
    waitSeconds,
    stopping,
  };
  const exposed = exposeWorkflows ? new ExposedWorkflows(endpoint, (message) => logger.warn(message)) : null;
  return ({ authInfo }) => {
    const token = verifiedToken(authInfo);
    const isLongLived = token?.isLongLived ?? false;
    // The tools of workflows show their names, which needs the scope of `list_workflows`.
    const mayList = token === null || covers(token.scopes, 'read');
    const watch: WorkflowServerOptions['watch'] = {
      admit: (identity) => {
        const leave = limits.enter(identity.apiKey);
        audit.expect(identity);
        return leave;
      },
      record: (call) => audit.record(call, isLongLived),
      report: ({ error, tool, executionId }) =>
        logger.error({ err: error, tool, execution_id: executionId }, 'tool call failed'),
    };
    return createServer({ ...common, watch, exposed: mayList ? exposed : null }, authInfo);
  };
}
