import { NestedField, SeparateListField, StringField, ValidateObject, type ObjectRule, type Separate } from '@app/http';
import { UpdateExecutionRequest } from '../../../executions/dto/execution.request.dto.js';
import { PublishEventRequest } from '../../../executions/events/dto/execution-event.request.dto.js';
import { AppendMessagesRequest } from '../../../executions/messages/dto/execution-message.request.dto.js';

/** Bounds what one request keeps waiting, as a batch of the lifecycle does. */
const MAX_REPORTS = 64;

export class ReportedEventRequest extends PublishEventRequest {
  @StringField({
    required: true,
    maxLength: 255,
    description:
      'Idempotency key, as in `Idempotency-Key` of the route of events: an event that is sent again under its key is stored once',
  })
  readonly idempotency_key!: string;
}

const KINDS = ['update', 'event', 'messages'] as const;

const oneKind: ObjectRule = (report) =>
  KINDS.filter((kind) => report[kind] != null).length === 1
    ? []
    : [{ path: [], msg: `A report should have exactly one of ${KINDS.join(', ')}`, type: 'value_error' }];

@ValidateObject(oneKind)
export class ReportRequest {
  @StringField({ required: true, maxLength: 128, description: 'Execution id' })
  readonly execution_id!: string;

  @StringField({
    required: true,
    maxLength: 255,
    description:
      'Lease token of the execution. For a token other than the current one, the status of the outcome is 409',
  })
  readonly lease_token!: string;

  @NestedField(UpdateExecutionRequest, { description: 'Body of `PATCH /executions/{execution_id}`' })
  readonly update?: UpdateExecutionRequest | null;

  @NestedField(ReportedEventRequest, { description: 'Body of `POST /executions/{execution_id}/events`, with its key' })
  readonly event?: ReportedEventRequest | null;

  @NestedField(AppendMessagesRequest, { description: 'Body of `POST /executions/{execution_id}/messages`' })
  readonly messages?: AppendMessagesRequest | null;
}

export class WorkerReportsRequest {
  @SeparateListField(ReportRequest, {
    required: true,
    maxItems: MAX_REPORTS,
    description:
      'Reports, each with exactly one of `update`, `event` and `messages`. Those of one execution are applied in their order',
  })
  readonly reports!: readonly Separate<ReportRequest>[];
}
