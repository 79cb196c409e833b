import { checkConfig, ConfigError, CrossOriginConfig, loadConfig, ShutdownConfig, type ConfigClass } from '@app/config';
import { createLogger, NestLogger } from '@app/observability';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SwaggerModule } from '@nestjs/swagger';
import { IdempotencyInterceptor } from '../routes/idempotency.interceptor.js';
import { BodyInterceptor } from '../routes/body.interceptor.js';
import { ListInterceptor } from '../routes/answers.js';
import { RouteAudit } from '../routes/route-audit.js';
import { WirePipe } from '../wire/wire.pipe.js';
import { crossOriginMiddleware } from './cross-origin.js';
import { ErrorFilter, type ErrorBody } from './error.filter.js';
import type { KeyGuard } from '../routes/key.guard.js';
import { FastLane, type FastLaneParts } from './fast-lane.js';
import { contextMiddleware } from './middleware.js';
import { buildDocument, DOCUMENT_PATH, type ApiDescription } from './openapi.js';
import { securityMiddleware } from './security-headers.js';
import { ServerAdapter } from './server.adapter.js';

export interface ServerPlan {
  readonly module: Type;
  readonly api: ApiDescription;
  readonly errorBody: ErrorBody;
  /** A provider of the module; every route is behind it, in both lanes. */
  readonly guard: Type<KeyGuard>;
}

/** Puts the wire's rules on an application: the same for every API, whatever its routes are. */
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
  const crossOrigin = crossOriginMiddleware(loadConfig(CrossOriginConfig));
  app.use(contextMiddleware, securityMiddleware, crossOrigin);
  app.useGlobalPipes(new WirePipe());
  const wording = { body: plan.errorBody, challenge: challengeOf(plan.api) };
  adapter.useWording(wording);
  app.useGlobalFilters(new ErrorFilter(wording));
  app.useGlobalInterceptors(new BodyInterceptor(), app.get(IdempotencyInterceptor), new ListInterceptor());
  const document = buildDocument(app, plan.api);
  SwaggerModule.setup('api/docs', app, document, {
    customSiteTitle: plan.api.title,
    jsonDocumentUrl: DOCUMENT_PATH,
    yamlDocumentUrl: 'api/openapi.yaml',
  });
  const guard = app.get(plan.guard);
  app.useGlobalGuards(guard);
  await app.init();
  const authorize: FastLaneParts['authorize'] = (request, access) => guard.authorize(request, access);
  adapter.useFastLane(new FastLane(app.get(RouteAudit).routes(), { authorize, crossOrigin, wording }));
  return app;
}

function challengeOf({ keyScheme }: ApiDescription): string {
  return keyScheme === 'bearer' ? 'Bearer' : 'UserKey';
}

export interface ServerStart {
  /** For logs and the line that says where it listens. */
  readonly name: string;
  /** All the process reads: every fault of every class is told at once, before anything is made of them. */
  readonly configs: readonly ConfigClass[];
  readonly plan: () => ServerPlan;
  readonly address: () => { host: string; port: number };
}

/** Starts a server process: one clear line and a non-zero exit for whatever keeps it from starting. */
export async function startServer({ name, configs, plan, address }: ServerStart): Promise<void> {
  try {
    checkConfig([...configs, CrossOriginConfig, ShutdownConfig]);
    endOnUnhandledErrors(name);
    const app = await createServer(plan());
    const { host, port } = address();
    await app.listen(port, host);
    const url = await app.getUrl();
    createLogger(name).info({ url }, `${name} listening on ${url}`);
    stopOnSignals(app, name, loadConfig(ShutdownConfig).graceMs);
  } catch (error) {
    process.stderr.write(`${name} cannot start: ${explain(error)}\n`);
    process.exit(error instanceof ConfigError ? 78 : 1);
  }
}

function explain(error: unknown): string {
  const { code, message, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE') return `port ${port} is taken; stop what listens there or set another port`;
  if (code === 'EACCES') return `port ${port} may not be opened by this user; choose one above 1023`;
  if (code === 'ECONNREFUSED') return `nothing answers at ${address}:${port}; are PostgreSQL and Redis running?`;
  return message === '' ? String(code) : message;
}

/**
 * Nobody knows what an error that nobody handled left behind: the process says so in its log and ends, to be started
 * again. Rejections that nobody heard come here as well.
 */
function endOnUnhandledErrors(name: string): void {
  process.on('uncaughtException', (error: Error, origin: string) => {
    createLogger(name).fatal({ err: error, origin }, 'an error that nobody handled: the process ends');
    process.exit(1);
  });
}

function stopOnSignals(app: INestApplication, name: string, graceMs: number): void {
  const logger = createLogger(name);
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(130);
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), graceMs + 5000).unref();
    const server = app.getHttpServer() as import('node:http').Server;
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
    (app.getHttpAdapter() as ServerAdapter).drain();
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
