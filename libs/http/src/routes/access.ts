import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiHeader, ApiParam } from '@nestjs/swagger';
import { DomainError, grants, notFound, onceGone, type Caller, type KeyScope } from '@app/kernel';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { describedMethod } from './described-method.js';

/** Who may call a route. Every route says one of these; the application does not start otherwise (see route-audit). */
export type Access =
  { readonly kind: 'public' } | { readonly kind: 'any-key' } | { readonly kind: 'scope'; readonly scope: KeyScope };

export const ACCESS = 'route:access';
/** What the documents say of a route's scope, and what that is for a route that needs no key, or any. */
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

/** Any valid key will do, whatever its scopes. */
export const AnyKey = (): MethodDecorator => declare({ kind: 'any-key' }, ANY_SCOPE);

/** The key must have this scope, or `admin`. */
export const RequireScope = (scope: KeyScope): MethodDecorator => declare({ kind: 'scope', scope }, scope);

/** What a route declares; undefined where it says nothing. */
export function accessOf(handler: object): Access | undefined {
  return Reflect.getMetadata(ACCESS, handler) as Access | undefined;
}

/** Throws the 403 that names the missing scope. */
export function checkAccess(access: Access, caller: Pick<Caller, 'scopes'>): void {
  if (access.kind === 'scope' && !grants(caller, access.scope)) {
    throw new DomainError('forbidden', 'insufficient_scope', `This key lacks the required scope: ${access.scope}`);
  }
}

/** The parts of a request that handlers see, in the ordinary lane and in the fast one. */
export interface WireRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  caller?: Caller;
  /** Calls back once when the caller's key is revoked or expires; answers how to stop waiting for that. */
  whenKeyEnds?: (onEnd: () => void) => () => void;
  /** The bytes of the body as they came, for signatures. */
  rawBody?: Uint8Array;
}

export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<WireRequest>();
  if (caller === undefined) throw new Error('A public route has no caller');
  return caller;
});

/** Aborted when the caller's key ends while the answer is still under way: for routes that answer for long. */
export const KeyEnd = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const http = context.switchToHttp();
  const ended = new AbortController();
  const stop = http.getRequest<WireRequest>().whenKeyEnds?.(() => ended.abort());
  if (stop !== undefined) onceGone(http.getResponse<ServerResponse>(), stop);
  return ended.signal;
});

/** Aborted once nobody waits for the answer any more: work handed to a client that has gone would be lost for a while. */
export const ClientGone = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const gone = new AbortController();
  onceGone(context.switchToHttp().getResponse<ServerResponse>(), () => gone.abort());
  return gone.signal;
});

const leaseToken = createParamDecorator((_data: unknown, context: ExecutionContext): string | null => {
  const token = context.switchToHttp().getRequest<WireRequest>().headers['x-lease-token'];
  return typeof token === 'string' && token !== '' ? token : null;
});

/** The lease a worker writes under (`X-Lease-Token`), or `null`: such a write follows the state rules alone. */
export const LeaseToken = (): ParameterDecorator => (target, method, index) => {
  leaseToken()(target, method, index);
  ApiHeader({
    name: 'X-Lease-Token',
    required: false,
    description: 'The token of the lease under which a worker writes: one that is not the current one is a conflict.',
    schema: { type: 'string' },
  })(target, ...describedMethod(target, method));
};

const pathRest = createParamDecorator((name: string, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<{ params: Record<string, string | string[]> }>();
  const rest = params[name] ?? '';
  return checkPathParameter(Array.isArray(rest) ? rest.join('/') : rest);
});

/** The rest of the path as one text, for names that contain slashes. */
export const PathRest =
  (name: string): ParameterDecorator =>
  (target, method, index) => {
    pathRest(name)(target, method, index);
    const description = 'May contain slashes';
    ApiParam({ name, description, schema: { type: 'string' } })(target, ...describedMethod(target, method));
  };

/** PostgreSQL has no text with NUL, so such a parameter names nothing. */
export function checkPathParameter(value: string): string {
  if (value.includes('\u0000')) throw notFound('Resource');
  return value;
}

/** The key of an `Authorization` header that uses one of these schemes; undefined when there is none. */
export function credentialOf(headers: IncomingHttpHeaders, schemes: readonly string[]): string | undefined {
  const [, scheme, key] = /^(\S+) +(.*)$/.exec((headers.authorization ?? '').trim()) ?? [];
  return schemes.some((known) => known.toLowerCase() === scheme?.toLowerCase()) ? key : undefined;
}
