import { Database } from '@app/database';
import type { ExecutionUser } from '@app/executions';
import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { JobTriggerService } from './job-trigger.service.js';
import { webhookNotFound, webhookRefused } from './job.errors.js';
import { JobRepository } from './job.repository.js';
import type { SignedCall, StoredJob, TriggeredJob, WebhookCall } from './job.types.js';
import { WebhookMessageRepository } from './webhook-message.repository.js';
import { readWebhookPayload } from './webhook-payload.js';
import { isSigned } from './webhook-signature.js';

/** Calls from outside, which prove themselves by a signature instead of a key. */
@Injectable()
export class JobWebhookService {
  constructor(
    private readonly jobs: JobRepository,
    private readonly messages: WebhookMessageRepository,
    private readonly triggers: JobTriggerService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The job a call is for, once its signature holds. Not found is an address of no job; refused, a wrong signature. */
  async verify(token: string, call: WebhookCall): Promise<SignedCall> {
    const job = await this.jobs.findByWebhookToken(token);
    if (job?.webhook_secret == null) throw webhookNotFound();
    if (!isSigned(call, job.webhook_secret, this.clock.now())) throw webhookRefused();
    return { call, job, scope: { organizationId: job.organization_id } };
  }

  /** A message id is used up by the commit that holds its execution: a call that failed may come again. */
  async receive({ call, job, scope }: SignedCall): Promise<TriggeredJob> {
    const firing = { ...readWebhookPayload(call.payload()), triggerType: 'webhook' as const, user: ownerOf(job) };
    return this.database.transaction(async () => {
      const { webhookId } = call;
      if (webhookId !== null && !(await this.messages.take(job.id, webhookId, this.clock.now()))) {
        throw webhookRefused();
      }
      return this.triggers.fire(scope, job, firing);
    });
  }
}

/** Whoever made the job answers for what a stranger's call starts. */
function ownerOf(job: StoredJob): ExecutionUser {
  return { userId: job.created_by, userName: null, userEmail: job.created_by_email, userAvatar: null };
}
