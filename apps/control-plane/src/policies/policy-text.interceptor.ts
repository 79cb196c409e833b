import { InvalidRequest, locateFaults, type WireRequest } from '@app/http';
import { isJsonObject } from '@app/kernel';
import { PolicyChecker } from '@app/policies';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { catchError, from, type Observable } from 'rxjs';

/**
 * Adds the faults of the policy's text to those of the other fields, so that one response has all. The text is compiled
 * in another thread, and the parser of the body does not wait for that. If the fields are valid, the service reports the
 * faults of the text.
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
