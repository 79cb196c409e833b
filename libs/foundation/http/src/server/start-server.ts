import {
  checkConfig,
  ConfigError,
  CrossOriginConfig,
  loadConfig,
  ProxyConfig,
  ResponseConfig,
  ShutdownConfig,
  type ConfigClass,
} from '@app/config';
import { onShutdownSignals } from '@app/kernel';
import { createLogger, NestLogger, warnOfNodeVersion } from '@app/observability';
import type { INestApplication, Type } from '@nestjs/common';
import { ApplicationConfig, NestFactory } from '@nestjs/core';
import { SwaggerModule } from '@nestjs/swagger';
import { OTHER_API, type OtherApi } from '../access/other-api.js';
import { RouteAudit } from '../access/route-audit.js';
import { compressionMiddleware } from './compression.js';
import { crossOriginMiddleware } from './cross-origin.js';
import { docsOptions } from '../openapi/docs-page.js';
import { DOCS_PATH, docsRedirect } from '../openapi/docs-redirect.js';
import { ERROR_FORMAT, type ErrorFormat } from '../errors/error.filter.js';
import { FastPath } from '../fast-path/fast-path.js';
import { Readiness } from '../health/readiness.js';
import { hideSecretParams } from '../logging/logged-path.js';
import { MetricsListener } from '../metrics/metrics-listener.js';
import { contextMiddleware } from './middleware.js';
import { buildDocument, DOCUMENT_PATH, type ApiDescription } from '../openapi/openapi.js';
import { securityMiddleware } from '../wire/security-headers.js';
import { ResponseBudget } from './response-budget.js';
import { ServerAdapter, type CommonHeaders } from './server.adapter.js';
import { processNumber, ServerProcesses, whenAllListen } from './server-processes.js';
import { StalledResponses } from './stalled-responses.js';
import { unknownRoute } from './unknown-route.js';

export interface ServerPlan {
  /** Imports `HttpModule.forApi`. */
  readonly module: Type;
  readonly api: ApiDescription;
  /**
   * Headers of every response. Guards replace them; they remain on responses of health checks and of requests that
   * reach no guard.
   */
  readonly commonHeaders?: CommonHeaders;
  /** Response headers of the application's routes that scripts of other origins may read. Those in `api.headers` are added. */
  readonly exposedHeaders?: readonly string[];
  /** Paths that people try in a browser, and from which they are sent to the documentation page. */
  readonly docsAt?: readonly string[];
}

/** Returns an initialized application with its documents and its fast path. */
export async function createServer(
  plan: ServerPlan,
  options: { readonly preview?: boolean } = {},
): Promise<INestApplication> {
  const adapter = new ServerAdapter();
  const app = await NestFactory.create(plan.module, adapter, {
    logger: new NestLogger(),
    bodyParser: false,
    abortOnError: false,
    preview: options.preview === true,
  });
  if (options.preview === true) return app;
  adapter.disable('x-powered-by');
  adapter.disable('etag');
  adapter.set('trust proxy', loadConfig(ProxyConfig).trusted);
  const crossOrigin = crossOriginMiddleware(loadConfig(CrossOriginConfig), [
    ...(plan.exposedHeaders ?? []),
    ...Object.keys(plan.api.headers ?? {}),
  ]);
  const toDocs = docsRedirect(plan.docsAt ?? []);
  app.use(contextMiddleware, securityMiddleware, crossOrigin, compressionMiddleware, toDocs);
  if (plan.commonHeaders !== undefined) adapter.useCommonHeaders(plan.commonHeaders);
  adapter.useErrorFormat(app.get<ErrorFormat>(ERROR_FORMAT));
  // Built at the first request for the document: few processes receive one, and building it would take an eighth of the
  // time of each start.
  const server = { url: '/', description: 'The server that serves this document' };
  SwaggerModule.setup(DOCS_PATH, app, () => buildDocument(app, plan.api, server), {
    customSiteTitle: plan.api.title,
    jsonDocumentUrl: DOCUMENT_PATH,
    yamlDocumentUrl: 'api/openapi.yaml',
    swaggerOptions: docsOptions(plan.api.keyScheme),
  });
  await app.init();
  adapter.useStalledResponses(new StalledResponses(loadConfig(ResponseConfig).stallSeconds * 1000));
  adapter.useResponseBudget(app.get(ResponseBudget));
  const config = app.get(ApplicationConfig);
  adapter.useUnknownRoute(unknownRoute(config, app.get<OtherApi | null>(OTHER_API)));
  const routes = app.get(RouteAudit).routes();
  hideSecretParams(routes);
  adapter.useFastPath(new FastPath(routes, { config, crossOrigin }));
  return app;
}

interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** Port of the metrics; null: they are served on `port`. */
  readonly metricsPort: number | null;
}

export interface ServerStart {
  /** The name in logs and in the line with the address. */
  readonly name: string;
  /** All config classes of the process. Their faults are reported together, before any of them is used. */
  readonly configs: readonly ConfigClass[];
  readonly plan: () => ServerPlan;
  readonly address: () => ServerAddress;
  /** Number of processes that accept the connections of the port. Default 1. */
  readonly processes?: () => number;
}

/** Starts a server process. If it cannot start, writes one line to stderr and exits with a non-zero code. */
export async function startServer(start: ServerStart): Promise<void> {
  const { name, configs, processes } = start;
  try {
    checkConfig([...configs, CrossOriginConfig, ProxyConfig, ResponseConfig, ShutdownConfig]);
    endOnUnhandledErrors(name);
    warnOfNodeVersion(createLogger(name));
    const count = processes?.() ?? 1;
    if (count > 1 && processNumber() === undefined) new ServerProcesses(name, count).start();
    else await serve(start);
  } catch (error) {
    process.stderr.write(`${name} cannot start: ${explain(error)}\n`);
    process.exit(error instanceof ConfigError ? 78 : 1);
  }
}

async function serve({ name, plan, address }: ServerStart): Promise<void> {
  const app = await createServer(plan());
  const { host, port, metricsPort } = address();
  const number = processNumber();
  if (metricsPort !== null) {
    await app.get(MetricsListener, { strict: false }).open(metricsPort + (number ?? 0), host);
  }
  const readiness = app.get(Readiness, { strict: false });
  if (number !== undefined) readiness.hold();
  await app.listen(port, host);
  const url = await app.getUrl();
  stopOnSignals(app, name, loadConfig(ShutdownConfig));
  if (number === undefined) createLogger(name).info({ url }, `${name} listening on ${url}`);
  else {
    createLogger(name).info({ url, process: number }, 'process started');
    await whenAllListen(url);
    readiness.release();
  }
}

/** SQLSTATE codes of a statement that needs a table, a column or a schema that the database does not have. */
const SCHEMA_MISSING = new Set(['42P01', '42703', '3F000']);
const HOW_TO_MIGRATE =
  'migrations are missing; start a process with MIGRATE_ON_START=true once (through a pooler, also with DATABASE_DIRECT_URL)';

function explain(error: unknown): string {
  const { code, message, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE') return `port ${port} is in use; stop the process that listens there or set another port`;
  if (code === 'EACCES') return `port ${port} may not be opened by this user; choose one above 1023`;
  if (code === 'ECONNREFUSED') return `no server responds at ${address}:${port}; are PostgreSQL and Redis running?`;
  if (code !== undefined && SCHEMA_MISSING.has(code)) return `${message}: ${HOW_TO_MIGRATE}`;
  return message === '' ? String(code) : message;
}

/** The state after an unhandled error or rejection is unknown, so the process logs it and exits. */
function endOnUnhandledErrors(name: string): void {
  process.on('uncaughtException', (error: Error, origin: string) => {
    createLogger(name).fatal({ err: error, origin }, 'unhandled error, process exits');
    process.exit(1);
  });
}

/**
 * Stops the server in two phases. First the readiness check fails while requests are still served, so that load
 * balancers stop sending requests. Then the server accepts no more requests and the application is closed: polls return
 * and streams end, so that clients reconnect.
 */
function stopOnSignals(app: INestApplication, name: string, { drainMs, graceMs }: ShutdownConfig): void {
  const logger = createLogger(name);
  const adapter = app.getHttpAdapter() as ServerAdapter;
  const close = (): void => {
    const server = app.getHttpServer() as import('node:http').Server;
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
    adapter.drain();
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  const stop = (signal: string): void => {
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), drainMs + graceMs + 5000).unref();
    app.get(Readiness, { strict: false }).leave();
    adapter.leave();
    if (drainMs === 0) close();
    else setTimeout(close, drainMs);
  };
  onShutdownSignals({ stop, force: () => process.exit(130) });
}
