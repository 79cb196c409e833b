import type { ServerResponse } from 'node:http';
import { Database, Revisions } from '@app/database';
import { changedMeanwhile, type Caller } from '@app/kernel';
import {
  Injectable,
  RequestMethod,
  SetMetadata,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ApiExtension, ApiHeader } from '@nestjs/swagger';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { checkPathParameter } from '../fields/path-parameter.js';
import { foundFaults } from '../fields/found-faults.js';
import type { WireRequest } from '../wire/wire-request.js';
import { acceptsVersion, ENTITY_TAG_HEADER, IF_MATCH_HEADER, toEntityTag } from './entity-tag.js';
import { perHandler } from './per-handler.js';

const REVISED = 'route:revised';
/** Extension of operations whose successful responses have an `ETag`. */
export const HAS_ENTITY_TAG = 'x-entity-tag';

/** What a route does with a resource that has revisions. */
type Use = 'create' | 'read' | 'change' | 'delete';

interface RevisedRoute {
  readonly kind: string;
  readonly use: Use;
}

const revisedRouteOf = perHandler((handler) => Reflect.getMetadata(REVISED, handler) as RevisedRoute | undefined);

/** Returns whether a route accepts `If-Match`. */
export const isConditional = perHandler((handler) => {
  const use = revisedRouteOf(handler)?.use;
  return use === 'change' || use === 'delete';
});

type RevisedRequest = WireRequest & {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

@Injectable()
class RevisionInterceptor implements NestInterceptor {
  constructor(
    private readonly revisions: Revisions,
    private readonly database: Database,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<RevisedRequest>();
    const route = revisedRouteOf(context.getHandler());
    if (route === undefined || foundFaults(request.body).length > 0) return next.handle();
    const handle = (): Promise<unknown> => lastValueFrom<unknown>(next.handle());
    const response = http.getResponse<ServerResponse>();
    if (route.use === 'read') return from(this.read(route, request, response, handle));
    return from(this.write(route, request, response, handle));
  }

  /** The tag is read first: a change between both reads makes it too old, and the next conditional request fails. */
  private async read(
    { kind }: RevisedRoute,
    { caller, params }: RevisedRequest,
    response: ServerResponse,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const revision = await this.revisions.find(caller, kind, idIn(params));
    const body = await handle();
    setTag(response, revision);
    return body;
  }

  /** The check, the write and the read of the new tag are one transaction, which locks the row. */
  private async write(
    { kind, use }: RevisedRoute,
    { caller, params, headers }: RevisedRequest,
    response: ServerResponse,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const condition = use === 'create' ? undefined : headers['if-match'];
    if (use === 'delete' && condition === undefined) return handle();
    // The handler can wait for threads that compile policies.
    return this.database.transactionOf(caller, async () => {
      const before = use === 'create' ? undefined : await this.revisions.lock(caller, kind, idIn(params));
      if (condition !== undefined && before !== undefined && !acceptsVersion(condition, before)) {
        throw changedMeanwhile(kind);
      }
      const body = await handle();
      // A handler that finds a row which the lock did not find found another one, such as a workflow that got the name.
      if (condition !== undefined && before === undefined) throw changedMeanwhile(kind);
      if (use === 'delete') return body;
      // The path can contain the name that the resource had before.
      setTag(response, await this.revisions.find(caller, kind, (body as { readonly id: string }).id));
      return body;
    });
  }
}

/**
 * Returns the id or name in the path of a route for one resource, which has no other parameter. Pipes, which check it
 * for the handler, run later.
 */
function idIn(params: Readonly<Record<string, string>>): string {
  return checkPathParameter(Object.values(params)[0] ?? '');
}

function setTag(response: ServerResponse, revision: string | undefined): void {
  if (revision !== undefined) response.setHeader(ENTITY_TAG_HEADER, toEntityTag(revision));
}

const USES: Readonly<Partial<Record<RequestMethod, Use>>> = {
  [RequestMethod.GET]: 'read',
  [RequestMethod.PUT]: 'change',
  [RequestMethod.PATCH]: 'change',
  [RequestMethod.DELETE]: 'delete',
};
const ONE = /^:\w+$/;

function useOf(handler: object): Use | undefined {
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  const path = Reflect.getMetadata(PATH_METADATA, handler) as string | undefined;
  if (method === undefined || path === undefined) return undefined;
  if (method === RequestMethod.POST && path === '/') return 'create';
  return ONE.test(path) ? USES[method] : undefined;
}

/**
 * The controller serves resources of this kind, whose entity is `Revised`. The routes that create, return or change one
 * of them (`POST /`, `GET`, `PUT` and `PATCH /:id`) return its `ETag`. Those that change or delete it accept `If-Match`:
 * if the resource has another tag, they write nothing and fail with `changed_meanwhile`. The bodies of the first ones
 * contain the `id`. The tag covers what requests set, so these routes never return 304: their bodies also show what
 * runs change.
 */
export function RevisedResource(kind: string): ClassDecorator {
  return (controller) => {
    const prototype = controller.prototype as object;
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      const use = typeof descriptor.value === 'function' ? useOf(descriptor.value as object) : undefined;
      if (use === undefined) continue;
      const decorators = [SetMetadata(REVISED, { kind, use }), UseInterceptors(RevisionInterceptor)];
      if (use !== 'delete') decorators.push(ApiExtension(HAS_ENTITY_TAG, true));
      if (use === 'change' || use === 'delete') decorators.push(ApiHeader(IF_MATCH));
      for (const decorate of decorators) decorate(prototype, name, descriptor);
    }
  };
}

const IF_MATCH = {
  name: IF_MATCH_HEADER,
  required: false,
  description:
    '`ETag` of an earlier response, several separated by commas, or `*`. If the resource has another tag now, the response is 412 and nothing is written',
};
