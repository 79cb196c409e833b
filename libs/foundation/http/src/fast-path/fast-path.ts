import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLogger, runInContext } from '@app/observability';
import type { ApplicationConfig } from '@nestjs/core';
import type { AuditedRoute } from '../access/route-audit.js';
import type { Middleware } from '../wire/wire-request.js';
import { compileFastRoute, type FastRoute } from './fast-route.js';
import { overlap, earlierPathsOf } from './route-overlap.js';
import type { PipelineRequest } from './pipeline.js';
import { logResponse, openContext } from '../logging/request-context.js';
import { sendJson } from '../wire/send-json.js';

interface OrderedRoute extends FastRoute {
  /** Paths of earlier routes that match some of its requests. The ordinary path serves these requests. */
  readonly earlierPaths: readonly (readonly string[])[];
}

type FastRequest = IncomingMessage & PipelineRequest;

const logger = createLogger('http');

export interface FastPathParts {
  /** Holds the global guards, interceptors, pipes and filters. */
  readonly config: ApplicationConfig;
  readonly crossOrigin: Middleware;
}

/**
 * Serves the routes marked `@HotRoute()` directly from the HTTP server, without Express, which costs several times as
 * much as their handlers. Handler, guards, interceptors, pipes and filters are those of the ordinary path (see
 * `compilePipeline`); this class only matches the route and sends the result. Requests with a compressed body take the
 * ordinary path.
 */
export class FastPath {
  private readonly routes: readonly OrderedRoute[];

  constructor(
    routes: readonly AuditedRoute[],
    private readonly parts: FastPathParts,
  ) {
    rejectRequestScope(parts.config);
    this.routes = routes.flatMap((route) => {
      const fast = compileFastRoute(route, parts.config);
      return fast === undefined ? [] : [{ ...fast, earlierPaths: earlierPathsOf(route, routes) }];
    });
  }

  /** Returns whether the fast path serves the request; if not, nothing has been read or written. */
  take(request: FastRequest, response: ServerResponse): boolean {
    if (request.headers['content-encoding'] !== undefined) return false;
    const path = (request.url ?? '').split('?')[0] ?? '';
    const segments = path.split('/');
    for (const route of this.routes) {
      const params = request.method === route.httpMethod ? matchPath(route.segments, segments) : undefined;
      if (params !== undefined) {
        if (route.earlierPaths.some((path) => overlap(segments, path))) return false;
        request.params = params;
        this.open(route, request, response);
        return true;
      }
    }
    return false;
  }

  /** Opens the context of the request and handles CORS, as the middleware of the ordinary path does. */
  private open(route: FastRoute, request: FastRequest, response: ServerResponse): void {
    const context = openContext(request, response);
    this.parts.crossOrigin(request, response, () =>
      runInContext(context, () => {
        serve(route, request, response).catch((error: unknown) => {
          logger.error({ err: error }, 'request failed and its error could not be sent');
          response.destroy();
        });
      }),
    );
  }
}

/** Throws for request-scoped providers: the fast path creates no instances per request and would skip them. */
function rejectRequestScope(config: ApplicationConfig): void {
  const scoped = [
    ...config.getGlobalRequestGuards(),
    ...config.getGlobalRequestPipes(),
    ...config.getGlobalRequestInterceptors(),
    ...config.getGlobalRequestFilters(),
  ];
  const names = scoped.map(({ name }) => String(name)).join(', ');
  if (scoped.length > 0) throw new Error(`The request pipeline cannot be request-scoped: ${names}`);
}

/** The error filter sends the response of a failed request, so `call` rejects only if the filter itself failed. */
async function serve(route: FastRoute, request: FastRequest, response: ServerResponse): Promise<void> {
  const startedAt = performance.now();
  response.statusCode = route.status;
  const result = await route.call(request, response);
  sendJson(response, response.statusCode, {}, result);
  route.metrics.observe(response.statusCode, startedAt);
  logResponse(request, response, startedAt, true);
}

function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) {
      const decoded = decode(segment);
      if (decoded === undefined) return undefined;
      params[part.slice(1)] = decoded;
    } else if (part !== segment) return undefined;
  }
  return params;
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment === '' ? undefined : segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
