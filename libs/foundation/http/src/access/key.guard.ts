import type { IncomingHttpHeaders } from 'node:http';
import { DomainError, type Caller, type Origin } from '@app/kernel';
import { noteOrganization } from '@app/observability';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { clientAddressOf } from './client-address.js';
import { accessOf, type Access } from './access.js';
import { nameOf, type OtherApi } from './other-api.js';
import type { WireRequest } from '../wire/wire-request.js';

/** Authenticates keys. */
export interface KeyAuthority {
  /**
   * Throws `unauthenticated` if the key is missing, unknown, revoked or expired, and `throttled` if the origin has sent too
   * many unknown keys.
   */
  authenticate(key: string | undefined, origin: Origin): Promise<Caller>;
  /** Calls `onEnd` once when this authenticated key is revoked or expires. Returns a function that stops watching. */
  whenEnded(key: string, onEnd: () => void): () => void;
}

/**
 * Accepts a request with a valid key, and a request to a route that needs none. Each API has a subclass with the
 * schemes that it accepts. `ScopeGuard` checks the scopes of the key later, after the guards that limit requests.
 */
export abstract class KeyGuard implements CanActivate {
  protected abstract readonly keys: KeyAuthority;
  /** Accepted schemes of the `Authorization` header. A key sent with another scheme is ignored. */
  protected abstract readonly schemes: readonly string[];
  /** The API whose scheme callers confuse with those of this one; without it, such a key is ignored. */
  protected readonly otherApi?: OtherApi;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context.getHandler());
    if (access === undefined) throw new Error(`${context.getClass().name} declares no access`);
    const request = context.switchToHttp().getRequest<WireRequest>();
    const caller = await this.authorize(request, access);
    if (caller !== undefined) {
      request.caller = caller;
      noteOrganization(caller.organizationId);
    }
    return true;
  }

  /** Returns the caller; undefined on a route without one. Throws if the key is missing or invalid. */
  async authorize(request: WireRequest, access: Access): Promise<Caller | undefined> {
    if (access.kind === 'public') return undefined;
    rejectSeveral(request);
    const key = credentialOf(request.headers, this.schemes);
    if (key === undefined && access.kind === 'optional-key') return undefined;
    if (key === undefined) this.rejectSchemeOfOtherApi(request);
    const caller = await this.keys.authenticate(key, () => clientAddressOf(request));
    if (key !== undefined) request.apiKey = key;
    request.whenKeyEnds = (onEnd) => this.keys.whenEnded(key ?? '', onEnd);
    return caller;
  }

  /** Throws if a key was sent as the other API accepts it, because "no API key was sent" would be misleading. */
  private rejectSchemeOfOtherApi({ headers }: WireRequest): void {
    const { schemes, otherApi: other } = this;
    if (other === undefined || credentialOf(headers, [other.scheme]) === undefined) return;
    const msg = `Send \`Authorization: ${schemes[0]} <API key>\`: ${other.scheme} is the scheme of ${nameOf(other)}`;
    throw new DomainError('key_missing', msg);
  }
}

/**
 * Of several `Authorization` headers, Node.js keeps the first one and proxies may keep another one, so none of them can
 * be trusted.
 */
function rejectSeveral({ rawHeaders = [] }: WireRequest): void {
  const names = rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 13);
  if (names.filter((name) => name.toLowerCase() === 'authorization').length > 1) {
    throw new DomainError('key_invalid', 'Send one Authorization header');
  }
}

/** Returns the key of an `Authorization` header with one of these schemes; undefined if there is none. */
export function credentialOf(headers: IncomingHttpHeaders, schemes: readonly string[]): string | undefined {
  const [, scheme, key] = /^(\S+) +(.*)$/.exec((headers.authorization ?? '').trim()) ?? [];
  return schemes.some((known) => known.toLowerCase() === scheme?.toLowerCase()) ? key : undefined;
}
