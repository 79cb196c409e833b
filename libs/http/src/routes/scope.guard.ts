import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { accessOf, checkAccess, type WireRequest } from './access.js';

/** Accepts a request if its key has the scope of the route. The last guard, so that a refused request counts as one too. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<WireRequest>();
    if (caller !== undefined) checkAccess(accessOf(context.getHandler()), caller);
    return true;
  }
}
