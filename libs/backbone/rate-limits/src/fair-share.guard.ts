import type { WireRequest } from '@app/http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { OrganizationShares } from './organization-shares.js';

/**
 * Counts the requests of callers with a key. A public route that finds out later whose request it is counts it itself,
 * once it is authenticated.
 */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(private readonly shares: OrganizationShares) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<WireRequest>();
    if (caller !== undefined) this.shares.count(caller.organizationId);
    return true;
  }
}
