import type { ServerResponse } from 'node:http';
import { addNotice, isPrintable, type WireRequest } from '@app/http';
import type { Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { PolicyWarningService, type WarnedPolicy } from '@app/policies';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';

/** A response after a write: a policy, an association of one, or a resource that names several. */
type Written = { readonly id: string } | { readonly policy_id: string } | { readonly policy_ids: readonly string[] };

/** Maximum number of policies in the header. */
const MAX_LISTED = 5;

/**
 * Sets the header `X-Notice` if a policy that is stored, associated or named does not decide as its author probably
 * expects, such as one whose rule is called `violation`. The request succeeds: such a policy is valid Rego.
 */
@Injectable()
export class PolicyNoticeInterceptor implements NestInterceptor {
  private readonly logger = createLogger('policies');

  constructor(private readonly warnings: PolicyWarningService) {}

  intercept(context: ExecutionContext, next: CallHandler<Written>): Observable<Written> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<WireRequest>();
    const response = http.getResponse<ServerResponse>();
    return next.handle().pipe(
      concatMap(async (written) => {
        if (caller !== undefined) await this.addNotices(caller, policyIdsOf(written), response);
        return written;
      }),
    );
  }

  /** Never rejects: the write has been committed, and a response without a notice is better than an error. */
  private async addNotices(scope: Scope, ids: readonly string[], response: ServerResponse): Promise<void> {
    try {
      const warned = await this.warnings.warned(scope, ids);
      for (const policy of warned.slice(0, MAX_LISTED)) addNotice(response, noticeOf(policy));
    } catch (error) {
      this.logger.warn({ err: error }, 'policies could not be compiled for their warnings');
    }
  }
}

function policyIdsOf(written: Written): readonly string[] {
  if ('policy_ids' in written) return written.policy_ids;
  return ['policy_id' in written ? written.policy_id : written.id];
}

function noticeOf({ id, name, warnings }: WarnedPolicy): string {
  return `Policy ${isPrintable(name) ? name : id}: ${warnings.join('; ')}`;
}
