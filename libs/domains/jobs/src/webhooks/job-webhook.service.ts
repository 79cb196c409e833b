import { Database } from '@app/database';
import { Clock, LookupLimiter, type Origin, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { JobTriggerService } from '../triggers/job-trigger.service.js';
import { jobWebhookNotFound, jobWebhookSignatureInvalid } from '../jobs/job.errors.js';
import { JobRepository } from '../jobs/job.repository.js';
import type { Job, SignedCall, TriggeredJob, JobWebhookCall } from '../jobs/job.types.js';
import { JobWebhookMessageRepository } from './job-webhook-message.repository.js';
import { readJobWebhookPayload } from './job-webhook-payload.js';
import { isWebhookToken, verifyCall } from './job-webhook-signature.js';
import { UnverifiedCalls } from './unverified-calls.js';

/** Handles webhook calls, which are authenticated by the secret of the job instead of an API key. */
@Injectable()
export class JobWebhookService {
  private readonly limiter: LookupLimiter;

  constructor(
    private readonly jobs: JobRepository,
    private readonly messages: JobWebhookMessageRepository,
    private readonly triggers: JobTriggerService,
    private readonly unverified: UnverifiedCalls,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.limiter = new LookupLimiter(clock);
  }

  /**
   * Returns the job with this token and its organization, before the body of the call is read. Counts the call as not
   * verified. Throws `not_found` if no job has the token, and `throttled` if the origin has sent too many unknown tokens
   * or calls that were not verified.
   */
  async senderOf(token: string, origin: Origin): Promise<Scope & { readonly id: string }> {
    const find = (): Promise<Job | undefined> => this.jobs.findByWebhookToken(token);
    const job = isWebhookToken(token) ? await this.limiter.find(token, origin, find) : undefined;
    if (job === undefined) throw jobWebhookNotFound();
    this.unverified.count(job.id, origin());
    return { id: job.id, organizationId: job.organization_id };
  }

  /**
   * Returns the call with its job. Looks the job up again, because its secret may have changed while the body arrived.
   * Throws `not_found` if no job has the token, `unauthenticated` if the signature is missing or invalid.
   */
  async verify(token: string, call: JobWebhookCall, origin: Origin): Promise<SignedCall> {
    const job = await this.jobs.findByWebhookToken(token);
    if (job?.webhook_secret == null) throw jobWebhookNotFound();
    const { webhook_signature, webhook_secret } = job;
    const verified = verifyCall(call, { webhook_signature, webhook_secret }, this.clock.now());
    if (verified === undefined) throw jobWebhookSignatureInvalid();
    this.unverified.verified(job.id, origin());
    return { ...verified, call, job, scope: { organizationId: job.organization_id } };
  }

  /**
   * Starts an execution. Stores the message id, if there is one, in the same transaction, so that a call is accepted only
   * once, but can be repeated if it failed.
   */
  async receive({ call, messageId, job, scope }: SignedCall): Promise<TriggeredJob> {
    const firing = { ...readJobWebhookPayload(call.payload()), triggerType: 'webhook' as const };
    if (messageId === null) return this.triggers.fireForAuthor(scope, job, firing);
    return this.database.transactionOf(scope, async () => {
      if (!(await this.isNew(job.id, messageId))) throw jobWebhookSignatureInvalid();
      return this.triggers.fireForAuthor(scope, job, firing);
    });
  }

  private async isNew(job_id: string, message_id: string): Promise<boolean> {
    return this.messages.recordIfNew({ job_id, message_id, received_at: this.clock.now() });
  }
}
