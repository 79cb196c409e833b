import type { ServerResponse } from 'node:http';
import { WorkerService } from '@app/environments';
import { DEFAULT_RUNTIME } from '@app/executions';
import { addNotice, isPrintable } from '@app/http';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';
import { knownRuntimes } from './runtime.mapper.js';

interface HasRuntime {
  readonly organization_id: string;
  readonly runtime: string | null;
}

/** Maximum number of runtimes in the header. */
const MAX_LISTED = 10;

/**
 * Sets the header `X-Notice` if the request names a runtime that no live worker declares. The request succeeds: a
 * worker with this runtime can start later, and a worker that declares no runtimes can have any.
 */
@Injectable()
export class RuntimeNoticeInterceptor implements NestInterceptor {
  constructor(private readonly workers: WorkerService) {}

  intercept(context: ExecutionContext, next: CallHandler<HasRuntime>): Observable<HasRuntime> {
    const response = context.switchToHttp().getResponse<ServerResponse>();
    return next.handle().pipe(
      concatMap(async (written) => {
        const notice = await this.noticeOf(written);
        if (notice !== undefined) addNotice(response, notice);
        return written;
      }),
    );
  }

  /** Runs no query for the built-in runtime. */
  private async noticeOf({ organization_id: organizationId, runtime }: HasRuntime): Promise<string | undefined> {
    if (runtime === null || runtime === '' || runtime === DEFAULT_RUNTIME) return undefined;
    const known = knownRuntimes(await this.workers.runtimesOffered({ organizationId }));
    if (known.includes(runtime)) return undefined;
    const named = isPrintable(runtime) ? `the runtime ${runtime}` : 'this runtime';
    const listed = known.filter(isPrintable).slice(0, MAX_LISTED);
    return `No live worker declares ${named}; known runtimes: ${listed.join(', ')}`;
  }
}
