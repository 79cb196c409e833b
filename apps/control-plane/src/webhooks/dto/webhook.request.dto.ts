import { EVENT_TYPE_MAX_LENGTH } from '@app/events';
import { EnumField, IntegerField, ListQuery, PatchOf, StringField, StringListField } from '@app/http';
import { WEBHOOK_STATUSES, type WebhookStatus } from '@app/webhooks';

const MAX_FILTER_ITEMS = 100;
const STATUS = { anyCase: true, empty: 'keep' } as const;

export class CreateWebhookRequest {
  @StringField({
    required: true,
    maxLength: 2048,
    description:
      'URL to which events are delivered: http or https, without credentials, with a host that resolves to public ' +
      'addresses (or that WEBHOOK_ALLOWED_HOSTS names)',
    example: 'https://hooks.example.com/agents',
  })
  readonly url!: string;

  @StringListField({
    empty: 'keep',
    maxItems: MAX_FILTER_ITEMS,
    description: `Event types to deliver, of at most ${EVENT_TYPE_MAX_LENGTH} characters; any values. Empty or with \`*\`: all types. Default \`[]\``,
    example: ['done', 'error'],
  })
  readonly events?: string[];

  @StringListField({
    empty: 'keep',
    maxItems: MAX_FILTER_ITEMS,
    description: 'Ids of jobs: only events of their executions are delivered. Default `[]`: of all executions',
  })
  readonly job_ids?: string[];

  @StringListField({
    empty: 'keep',
    maxItems: MAX_FILTER_ITEMS,
    description: 'Ids of agents: only events of their executions are delivered. Default `[]`: of all executions',
  })
  readonly agent_ids?: string[];

  @StringField({ maxLength: 2000, description: 'Description, as free text' })
  readonly description?: string | null;

  @EnumField(WEBHOOK_STATUSES, {
    ...STATUS,
    default: 'active',
    description: 'State. Events that are published while it is `disabled` are never delivered. Default `active`',
  })
  readonly status?: WebhookStatus;
}

export class UpdateWebhookRequest extends PatchOf(CreateWebhookRequest) {}

export class ListWebhooksQuery extends ListQuery {
  @EnumField(WEBHOOK_STATUSES, { ...STATUS, description: 'State' })
  readonly status?: WebhookStatus;
}

export const DEFAULT_OVERLAP_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 604_800;

export class RotateWebhookSecretRequest {
  @IntegerField({
    min: 0,
    max: MAX_OVERLAP_SECONDS,
    empty: 'keep',
    default: DEFAULT_OVERLAP_SECONDS,
    description: 'Seconds for which deliveries are signed with the old secret as well, at most a week. Default: a day',
  })
  readonly overlap_seconds?: number;
}
