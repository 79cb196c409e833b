import { HttpProblem, type WireRequest } from '@app/http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { OrganizationShares } from './organization-shares.js';

/**
 * Limits the requests of each organization to this process, so that other organizations are served while one sends too
 * many. On public routes, the sender is known only after the guard of the route, so this guard runs again after it.
 */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(private readonly shares: OrganizationShares) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, sender } = context.switchToHttp().getRequest<WireRequest>();
    const holder = caller ?? sender;
    const waitMs = holder === undefined ? 0 : this.shares.take(holder.organizationId);
    if (waitMs === 0) return true;
    throw new HttpProblem(
      'rate_limited',
      'The organization sends more requests than this server accepts from one organization',
      waitMs,
    );
  }
}
