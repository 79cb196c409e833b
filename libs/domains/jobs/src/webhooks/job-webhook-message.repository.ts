import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { PRUNE_JOB_WEBHOOK_MESSAGES, RECORD_JOB_WEBHOOK_MESSAGE } from './job-webhook-message.sql.js';
import { TIMESTAMP_TOLERANCE_MS } from './job-webhook-signature.js';

/** A timestamp may be ahead of the clock by the tolerance; its message is then acceptable for twice the tolerance. */
const RETENTION_MS = 2 * TIMESTAMP_TOLERANCE_MS;

/** A message that a webhook has accepted, kept while its timestamp is acceptable. */
export interface JobWebhookMessage {
  readonly job_id: string;
  /** Unique in the job. */
  readonly message_id: string;
  readonly received_at: Date;
}

/** The methods have no scope parameter: message ids belong to a job, and a webhook call has no caller. */
@Injectable()
export class JobWebhookMessageRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores the id and returns true if it is new to the job. Of several concurrent calls with one id, one returns true.
   */
  async recordIfNew({ job_id, message_id, received_at }: JobWebhookMessage): Promise<boolean> {
    const expired = new Date(received_at.getTime() - RETENTION_MS);
    const values = [job_id, message_id, received_at, expired];
    const recorded = await this.database.prepared(RECORD_JOB_WEBHOOK_MESSAGE, values);
    return recorded.length > 0;
  }

  /** Deletes up to `limit` expired ids of all jobs. Returns their number. */
  async prune(now: Date, limit: number): Promise<number> {
    const expired = new Date(now.getTime() - RETENTION_MS);
    return (await this.database.sql(PRUNE_JOB_WEBHOOK_MESSAGES, [expired, limit])).length;
  }
}
