import { keyMissing } from '@app/kernel';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { accessOf, checkAccess } from './access.js';
import type { WireRequest } from '../wire/wire-request.js';

/**
 * Accepts a request if its key has the scope of the route. Rejects a request without a caller to a route that needs a
 * key, so that the route stays closed in an application without a guard that authenticates. It is the last guard, so
 * that a rejected request also counts against the limits of its key.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<WireRequest>();
    const access = accessOf(context.getHandler());
    if (caller !== undefined) checkAccess(access, caller);
    else if (access?.kind !== 'public' && access?.kind !== 'optional-key') {
      throw keyMissing();
    }
    return true;
  }
}
