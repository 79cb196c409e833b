import { DomainError, grants, type Caller, type KeyScope } from '@app/kernel';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import { perHandler } from '../routes/per-handler.js';

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
