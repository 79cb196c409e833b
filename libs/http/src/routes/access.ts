import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiParam } from '@nestjs/swagger';
import { DomainError, grants, type Caller, type KeyScope, type Scope } from '@app/kernel';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { HttpProblem } from '../wire/http-problem.js';
import { declarePlace } from '../wire/invalid-request.js';
import { onResponseClosed } from '../wire/on-response-closed.js';
import { describedMethod } from './described-method.js';
import { perHandler } from './per-handler.js';

/** The access to a route. Every route declares it; otherwise the application does not start (see route-audit). */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'optional-key' }
  | { readonly kind: 'any-key' }
  | { readonly kind: 'scope'; readonly scope: KeyScope };

const ACCESS = 'route:access';
/** The OpenAPI extension field with the scope of a route, and its values for no key and any key. */
export const REQUIRED_SCOPE = 'x-required-scope';
export const NO_SCOPE = 'none';
export const ANY_SCOPE = 'any';

function declare(access: Access, note: string): MethodDecorator {
  return applyDecorators(
    SetMetadata(ACCESS, access),
    ApiExtension(REQUIRED_SCOPE, note),
    ...(access.kind === 'public' ? [] : [ApiBearerAuth('key')]),
  );
}

/** The route needs no key. */
export const Public = (): MethodDecorator => declare({ kind: 'public' }, NO_SCOPE);

/** The route needs no key. If a key is sent, it must be valid, and its limits apply. */
export const OptionalKey = (): MethodDecorator => SetMetadata(ACCESS, { kind: 'optional-key' } satisfies Access);

/** The route needs a valid key with any scopes, even none. */
export const AnyKey = (): MethodDecorator => declare({ kind: 'any-key' }, ANY_SCOPE);

/** The key must have this scope, or `admin`. */
export const RequireScope = (scope: KeyScope): MethodDecorator => declare({ kind: 'scope', scope }, scope);

/** The declared access of a route; undefined if it declares none. */
export const accessOf = perHandler((handler) => Reflect.getMetadata(ACCESS, handler) as Access | undefined);

/** Throws `insufficient_scope` (403), which names the missing scope. */
export function checkAccess(access: Access | undefined, caller: Pick<Caller, 'scopes'>): void {
  if (access?.kind === 'scope' && !grants(caller, access.scope)) {
    throw new DomainError('insufficient_scope', `This key lacks the required scope: ${access.scope}`);
  }
}

/** The parts of a request that guards, interceptors and handlers read, on the ordinary path and on the fast path. */
export interface WireRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Header names and values alternately, as received. */
  readonly rawHeaders?: readonly string[];
  caller?: Caller;
  /** The API key that the key guard accepted; undefined without a caller, or if a ticket identified the caller. */
  apiKey?: string;
  /**
   * The sender of a request to a public route, set by the guard of the route. The id is unique across all
   * organizations.
   */
  sender?: Scope & { readonly id: string };
  /** Calls `onEnd` once when the caller's key is revoked or expires. Returns a function that stops watching. */
  whenKeyEnds?: (onEnd: () => void) => () => void;
  /** The bytes of the body as received, for signatures. */
  rawBody?: Uint8Array;
}

export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<WireRequest>();
  if (caller === undefined) throw new Error('A public route has no caller');
  return caller;
});

/**
 * For long responses: injects a signal that is aborted if the caller's key is revoked or expires before the response
 * is complete.
 */
export const KeyEndedSignal = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const http = context.switchToHttp();
  const ended = new AbortController();
  const stop = http.getRequest<WireRequest>().whenKeyEnds?.(() => ended.abort());
  if (stop !== undefined) onResponseClosed(http.getResponse<ServerResponse>(), stop);
  return ended.signal;
});

/**
 * Injects a signal that is aborted when the client disconnects, so that no work is leased to a client that cannot
 * receive it.
 */
export const ClientClosedSignal = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const closed = new AbortController();
  onResponseClosed(context.switchToHttp().getResponse<ServerResponse>(), () => closed.abort());
  return closed.signal;
});

const pathRest = createParamDecorator((name: string, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<{ params: Record<string, string | string[]> }>();
  const rest = params[name] ?? '';
  return checkPathParameter(Array.isArray(rest) ? rest.join('/') : rest);
});

/**
 * Injects the rest of the path as one text, for names that contain slashes. Faults of commands in a field with the name
 * of the parameter are located in the path.
 */
export const PathRest =
  (name: string, description: string): ParameterDecorator =>
  (target, method, index) => {
    declarePlace(name, 'path', name);
    pathRest(name)(target, method, index);
    ApiParam({ name, description, schema: { type: 'string' } })(target, ...describedMethod(target, method));
  };

/** Rejects a parameter that contains NUL: PostgreSQL cannot store it, so no identifier equals it. */
export function checkPathParameter(value: string): string {
  if (value.includes('\u0000')) throw new HttpProblem('resource_not_found', 'Resource not found');
  return value;
}

/** Returns the key of an `Authorization` header with one of these schemes; undefined if there is none. */
export function credentialOf(headers: IncomingHttpHeaders, schemes: readonly string[]): string | undefined {
  const [, scheme, key] = /^(\S+) +(.*)$/.exec((headers.authorization ?? '').trim()) ?? [];
  return schemes.some((known) => known.toLowerCase() === scheme?.toLowerCase()) ? key : undefined;
}
