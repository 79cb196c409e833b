import { Database } from '@app/database';
import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';

@Injectable()
class ResponseTransactionInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.database.transaction(() => lastValueFrom<unknown>(next.handle())));
  }
}

/**
 * The route writes and composes its response in one transaction: if the response fails, nothing was written. For related
 * data that can be too large to be returned, and for new credentials, which would otherwise be stored without having been
 * returned.
 */
export function CommitsWithResponse(): MethodDecorator {
  return applyDecorators(UseInterceptors(ResponseTransactionInterceptor));
}
