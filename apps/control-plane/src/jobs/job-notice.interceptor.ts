import type { ServerResponse } from 'node:http';
import { addNotice, type WireRequest } from '@app/http';
import { JobRemarksService, JobService } from '@app/jobs';
import { isJsonObject } from '@app/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';
import type { JobResponse } from './dto/job.response.dto.js';

/**
 * Sets the header `X-Notice` if a stored job would not start now, or if its fields contradict each other. The request
 * succeeds: what a job names may be created later.
 */
@Injectable()
export class JobNoticeInterceptor implements NestInterceptor {
  constructor(
    private readonly jobs: JobService,
    private readonly remarks: JobRemarksService,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<JobResponse>): Observable<JobResponse> {
    const http = context.switchToHttp();
    const { caller, body } = http.getRequest<WireRequest & { readonly body: unknown }>();
    const response = http.getResponse<ServerResponse>();
    return next.handle().pipe(
      concatMap(async (written) => {
        if (caller === undefined) return written;
        const job = await this.jobs.read(caller, written.id);
        const sent = new Set(isJsonObject(body) ? Object.keys(body).filter((name) => isGiven(body[name])) : []);
        for (const remark of await this.remarks.of(caller, job, sent)) addNotice(response, remark);
        return written;
      }),
    );
  }
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== '';
}
