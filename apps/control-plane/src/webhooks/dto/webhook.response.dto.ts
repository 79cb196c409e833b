import { ResponseString, ResponseStringList, ResponseTime } from '@app/http';
import { WEBHOOK_STATUSES } from '@app/webhooks';

export class WebhookResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'URL to which events are delivered' })
  readonly url!: string;

  @ResponseStringList({ description: 'Event types that are delivered; empty or with `*`: all types' })
  readonly events!: readonly string[];

  @ResponseStringList({ description: 'Ids of the jobs whose executions are followed; empty: all executions' })
  readonly job_ids!: readonly string[];

  @ResponseStringList({ description: 'Ids of the agents whose executions are followed; empty: all executions' })
  readonly agent_ids!: readonly string[];

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseString({ enum: WEBHOOK_STATUSES, description: 'State; nothing is delivered while it is `disabled`' })
  readonly status!: string;

  @ResponseString({ nullable: true, description: 'Why the platform disabled it; null if it did not' })
  readonly disabled_reason!: string | null;

  @ResponseTime({
    nullable: true,
    description: 'Time until which deliveries are signed with the previous secret as well; null without one',
  })
  readonly previous_secret_expires_at!: string | null;

  @ResponseString({ nullable: true })
  readonly created_by!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

export class WebhookWithSecretResponse extends WebhookResponse {
  @ResponseString({
    nullable: true,
    secret: true,
    description:
      'Secret that signs deliveries, in the form of Standard Webhooks. Returned only when the webhook is created and when its secret is replaced; null in a response that is replayed for another API key',
  })
  readonly secret!: string | null;
}
