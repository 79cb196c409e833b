import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { TIMESTAMP_TOLERANCE_MS } from './webhook-signature.js';

/** A message may be dated ahead of us by the tolerance, and is then acceptable for twice as long. */
const REMEMBERED_MS = 2 * TIMESTAMP_TOLERANCE_MS;

/** Belongs to a job and not to a caller: whoever holds a webhook's token has no scope. */
@Injectable()
export class WebhookMessageRepository {
  constructor(private readonly database: Database) {}

  /** Whether the id is new to the job; drops the job's expired ones meanwhile. Of two at once, one waits and is refused. */
  async take(jobId: string, messageId: string, now: Date): Promise<boolean> {
    const taken = await this.database.prepared(
      'job_webhook_messages.take',
      `WITH expired AS (DELETE FROM job_webhook_messages WHERE job_id = $1 AND received_at < $4)
       INSERT INTO job_webhook_messages (job_id, message_id, received_at) VALUES ($1, $2, $3)
       ON CONFLICT (job_id, message_id) DO NOTHING RETURNING 1 AS taken`,
      [jobId, messageId, now, new Date(now.getTime() - REMEMBERED_MS)],
    );
    return taken.length > 0;
  }
}
