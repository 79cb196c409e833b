import { EnumField, ListQuery, TimeField } from '@app/http';
import { DELIVERY_STATUSES, type DeliveryStatus } from '@app/webhooks';

export class ListWebhookDeliveriesQuery extends ListQuery {
  @EnumField(DELIVERY_STATUSES, { anyCase: true, empty: 'keep', description: 'State' })
  readonly status?: DeliveryStatus;
}

const ENDED = ['failed', 'delivered'] as const;

export class ReplayWebhookDeliveriesRequest {
  @TimeField({ required: true, description: 'Start of the time range in which the deliveries were created, inclusive' })
  readonly from!: Date;

  @TimeField({ description: 'End of the time range, exclusive. Default: now' })
  readonly to?: Date | null;

  @EnumField(ENDED, {
    anyCase: true,
    empty: 'keep',
    default: 'failed',
    description: 'State of the deliveries that are repeated. Default `failed`',
  })
  readonly status?: (typeof ENDED)[number];
}
