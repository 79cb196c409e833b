import { ObjectField } from '@app/http';
import type { JsonObject } from '@app/kernel';

/** Describes a call in the API's document. Any other JSON object is taken as the parameters, so it is not parsed by this. */
export class JobWebhookRequest {
  @ObjectField({ empty: 'keep', description: "For the prompt's placeholders" })
  readonly parameters?: JsonObject;

  @ObjectField({ empty: 'keep', description: "Laid over the job's config, key by key, for this execution only" })
  readonly config_override?: JsonObject;

  @ObjectField({ empty: 'keep', description: "Kept as trigger_metadata in the job's history; at most 16 KiB" })
  readonly metadata?: JsonObject;
}
