import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { WireRequest } from './access.js';

/** Refuses an unreadable body after the guards have spoken, so that a stranger learns of the key first. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { bodyProblem } = context.switchToHttp().getRequest<WireRequest>();
    if (bodyProblem !== undefined) throw bodyProblem;
    return next.handle();
  }
}
