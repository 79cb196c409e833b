import type { ServerResponse } from 'node:http';
import { createLogger } from '@app/observability';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { tap, type Observable } from 'rxjs';
import type { JobResponse } from './dto/job.response.dto.js';

const NOTICE = 'This version does not start cron jobs: trigger them by hand or by webhook';

/** Says with each written cron job, in the header `X-Notice` and the log, that nothing starts it. */
@Injectable()
export class CronNoticeInterceptor implements NestInterceptor {
  private readonly logger = createLogger('jobs');

  intercept(context: ExecutionContext, next: CallHandler<JobResponse>): Observable<JobResponse> {
    const response = context.switchToHttp().getResponse<ServerResponse>();
    return next.handle().pipe(
      tap(({ id, trigger_type, enabled }) => {
        if (trigger_type !== 'cron' || !enabled) return;
        response.setHeader('X-Notice', NOTICE);
        this.logger.warn({ job_id: id }, 'enabled cron job stored, but this version does not start cron jobs');
      }),
    );
  }
}
