import { loadConfig, ShutdownConfig, ToolServerConfig, ToolServerIdentityConfig } from '@app/config';
import { onShutdownSignals } from '@app/kernel';
import { createLogger, NestLogger, warnOfNodeVersion } from '@app/observability';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ServerUrls } from './auth/server-urls.js';
import { Stopping } from './mcp/stopping.js';
import { ToolServerModule } from './tool-server.module.js';

const LOOPBACK = /^(127\.|::1$|localhost$)/;

/** Starts the HTTP server. Rejects if it cannot listen. */
export async function startHttpServer(module: object = ToolServerModule): Promise<INestApplication> {
  const logger = createLogger('tool-server');
  warnOfNodeVersion(logger);
  const app = await NestFactory.create<NestExpressApplication>(module as never, {
    logger: new NestLogger(),
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  const { host, port, origins } = loadConfig(ToolServerConfig);
  app.enableCors({ origin: allowedOrigins(app.get(ServerUrls).hostname, origins), exposedHeaders: EXPOSED });
  await app.listen(port, host);
  explainMode(logger);
  logger.info({ url: await app.getUrl() }, `tool-server listening on ${await app.getUrl()}`);
  stopOnSignals(app);
  return app;
}

/** Response headers that MCP clients in web pages read. */
const EXPOSED = ['Mcp-Session-Id', 'WWW-Authenticate', 'Mcp-Protocol-Version'];

/** Says which web pages may read responses. The guard rejects the requests of all others. */
function allowedOrigins(hostname: string, origins: readonly string[]) {
  const hosts = new Set(['localhost', '127.0.0.1', '[::1]', hostname, ...origins]);
  return (origin: string | undefined, answer: (error: Error | null, allow: boolean) => void): void =>
    answer(null, origin !== undefined && URL.canParse(origin) && hosts.has(new URL(origin).hostname));
}

/** Says once which identities the server accepts, because the defaults are lenient where the specification is. */
function explainMode(logger: ReturnType<typeof createLogger>): void {
  const { authServer, audience, serviceApiKey } = loadConfig(ToolServerIdentityConfig);
  const { host } = loadConfig(ToolServerConfig);
  if (authServer === null) {
    const isOpen = serviceApiKey !== null && !LOOPBACK.test(host);
    if (isOpen) logger.warn('everybody who reaches this server acts with SERVICE_API_KEY: set SERVICE_AUTH_SERVER');
    return;
  }
  const { protocol, hostname } = new URL(authServer);
  if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
    logger.warn('the keys of tokens are read without TLS: whoever controls the network can forge tokens');
  }
  if (audience === null) {
    logger.info(
      'tokens for another audience are rejected, tokens without one are accepted: set --audience to require one',
    );
  } else if (audience.includes('none')) {
    logger.warn('the audience of tokens is not checked: tokens for other services are accepted');
  }
}

/** Stops in two phases, as the other servers do: while it drains, the readiness check fails and requests are served. */
function stopOnSignals(app: INestApplication): void {
  const { drainMs, graceMs } = loadConfig(ShutdownConfig);
  const server = app.getHttpServer() as import('node:http').Server;
  const close = (): void => {
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
    app.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  const stop = (): void => {
    app.get(Stopping).leave();
    if (drainMs === 0) close();
    else setTimeout(close, drainMs);
  };
  onShutdownSignals({ stop, force: () => process.exit(130) });
}
