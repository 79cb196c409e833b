import { accessOf, type WireRequest } from '@app/http';
import { KeyService } from '@app/identity';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { authorize } from './authorize.js';

@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly keys: KeyService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context.getHandler());
    if (access === undefined) throw new Error(`${context.getClass().name} declares no access`);
    const request = context.switchToHttp().getRequest<WireRequest>();
    const caller = await authorize(this.keys, request, access);
    if (caller !== undefined) request.caller = caller;
    return true;
  }
}
