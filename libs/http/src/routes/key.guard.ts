import { DomainError, type Caller } from '@app/kernel';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { accessOf, checkAccess, credentialOf, type Access, type WireRequest } from './access.js';

/** Who keys belong to. */
export interface KeyAuthority {
  /** Throws `unauthenticated` where the key is missing, unknown, revoked or expired. */
  authenticate(key: string | undefined): Promise<Caller>;
  /** Calls back once when this key, which was just authenticated, ends. Answers how to stop watching. */
  whenEnded(key: string, onEnd: () => void): () => void;
}

/** Lets a request through to a route when its key may call it. Each API has one, with the schemes it takes. */
export abstract class KeyGuard implements CanActivate {
  protected abstract readonly keys: KeyAuthority;
  /** Schemes of the `Authorization` header; a key sent under another is no key. */
  protected abstract readonly schemes: readonly string[];

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context.getHandler());
    if (access === undefined) throw new Error(`${context.getClass().name} declares no access`);
    const request = context.switchToHttp().getRequest<WireRequest>();
    const caller = await this.authorize(request, access);
    if (caller !== undefined) request.caller = caller;
    return true;
  }

  /** Who calls, once it is clear that they may; undefined on a public route. The fast lane asks here, too. */
  async authorize(request: WireRequest, access: Access): Promise<Caller | undefined> {
    if (access.kind === 'public') return undefined;
    const key = credentialOf(request.headers, this.schemes);
    if (key === undefined) this.refuseBearer(request);
    const caller = await this.keys.authenticate(key);
    checkAccess(access, caller);
    request.whenKeyEnds = (onEnd) => this.keys.whenEnded(key ?? '', onEnd);
    return caller;
  }

  /** Where Bearer is not taken: "no key was sent" would say the wrong thing of a key under the most common scheme. */
  private refuseBearer({ headers }: WireRequest): void {
    const [scheme] = this.schemes;
    if (scheme === undefined || credentialOf(headers, ['Bearer']) === undefined) return;
    const msg = `Send \`Authorization: ${scheme} <API key>\`: this API does not know Bearer`;
    throw new DomainError('unauthenticated', 'key_missing', msg);
  }
}
