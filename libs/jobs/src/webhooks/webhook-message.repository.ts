import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { PRUNE_WEBHOOK_MESSAGES, RECORD_WEBHOOK_MESSAGE } from './webhook-message.sql.js';
import { TIMESTAMP_TOLERANCE_MS } from './webhook-signature.js';

/** A timestamp may be ahead of the clock by the tolerance; its message is then acceptable for twice the tolerance. */
const RETENTION_MS = 2 * TIMESTAMP_TOLERANCE_MS;

/** The methods have no scope parameter: message ids belong to a job, and a webhook call has no caller. */
@Injectable()
export class WebhookMessageRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores the id and returns true if it is new to the job. Of several concurrent calls with one id, one returns true.
   */
  async recordIfNew(jobId: string, messageId: string, now: Date): Promise<boolean> {
    const expired = new Date(now.getTime() - RETENTION_MS);
    const recorded = await this.database.prepared(RECORD_WEBHOOK_MESSAGE, [jobId, messageId, now, expired]);
    return recorded.length > 0;
  }

  /** Deletes up to `limit` expired ids of jobs that are not called any more. Returns their number. */
  async prune(now: Date, limit: number): Promise<number> {
    const expired = new Date(now.getTime() - RETENTION_MS);
    return (await this.database.sql(PRUNE_WEBHOOK_MESSAGES, [expired, limit])).length;
  }
}
