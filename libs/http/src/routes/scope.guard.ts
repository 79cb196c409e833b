import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { accessOf, checkAccess, type WireRequest } from './access.js';

/**
 * Accepts a request if its key has the scope of the route. It is the last guard, so that a rejected request also counts
 * against the limits of its key.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<WireRequest>();
    if (caller !== undefined) checkAccess(accessOf(context.getHandler()), caller);
    return true;
  }
}
