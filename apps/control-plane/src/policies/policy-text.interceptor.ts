import { InvalidRequest, locateFaults, type WireRequest } from '@app/http';
import { isJsonObject } from '@app/kernel';
import { PolicyChecker } from '@app/policies';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { catchError, from, type Observable } from 'rxjs';

/**
 * Adds the compile errors of `policy_content` to the faults of the other fields, so that one response contains all of
 * them. The validation of the body is synchronous and cannot do this, because the source is compiled in another thread.
 * If the other fields are valid, the service reports the compile errors.
 */
@Injectable()
export class PolicyTextInterceptor implements NestInterceptor {
  constructor(private readonly checker: PolicyChecker) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<WireRequest & { readonly body: unknown }>();
    return next.handle().pipe(catchError((error: unknown) => from(this.rethrow(error, request))));
  }

  private async rethrow(error: unknown, request: WireRequest & { readonly body: unknown }): Promise<never> {
    const { body, caller, method } = request;
    if (!(error instanceof InvalidRequest) || caller === undefined || !isJsonObject(body)) throw error;
    const faults = await this.checker.requestFaults(caller, body['policy_content']);
    throw new InvalidRequest([...error.faults, ...locateFaults(faults, method)]);
  }
}
