import { ObjectField } from '@app/http';
import type { JsonObject } from '@app/kernel';

/**
 * Documents the body of a webhook call. A body is never parsed with this class, because an object with other keys is
 * used as `parameters` as a whole.
 */
export class JobWebhookRequest {
  @ObjectField({ empty: 'keep', description: 'Values for the placeholders of the prompt template' })
  readonly parameters?: JsonObject;

  @ObjectField({
    empty: 'keep',
    description: 'Configuration for this execution; its top-level keys override those of the job',
  })
  readonly config_override?: JsonObject;

  @ObjectField({
    empty: 'keep',
    description: 'Free-form metadata, returned as `trigger_metadata` in the history of the job. At most 16 KiB',
  })
  readonly metadata?: JsonObject;
}
