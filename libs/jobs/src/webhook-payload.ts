import { invalid, isJsonObject, type JsonObject } from '@app/kernel';
import type { TriggerJob } from './job.types.js';

const FIELDS = ['parameters', 'config_override', 'metadata'] as const;
/** Metadata is shown with every run in a job's history, so it stays small, in UTF-16 units of its JSON. */
const MAX_METADATA_LENGTH = 16_384;

export interface WebhookTrigger extends TriggerJob {
  readonly metadata: JsonObject;
}

/**
 * What a webhook's body asks for: `{parameters, config_override, metadata}`, each optional. Any other JSON object is the
 * sender's own and becomes the parameters as a whole; no body at all means no parameters.
 */
export function readWebhookPayload(payload: unknown): WebhookTrigger {
  if (payload === undefined) return { metadata: {} };
  if (!isJsonObject(payload)) {
    throw invalid([{ loc: ['body'], msg: 'Input should be a valid object', type: 'dict_type' }]);
  }
  if (!isOurs(payload)) return { parameters: payload, metadata: {} };
  const { parameters, config_override, metadata } = payload;
  return {
    ...(isJsonObject(parameters) ? { parameters } : {}),
    ...(isJsonObject(config_override) ? { config_override } : {}),
    metadata: isJsonObject(metadata) ? checkLength(metadata) : {},
  };
}

function isOurs(payload: JsonObject): boolean {
  const known: readonly string[] = FIELDS;
  return Object.entries(payload).every(
    ([name, value]) => known.includes(name) && (value === null || isJsonObject(value)),
  );
}

function checkLength(metadata: JsonObject): JsonObject {
  if (JSON.stringify(metadata).length <= MAX_METADATA_LENGTH) return metadata;
  const msg = `Metadata should have at most ${MAX_METADATA_LENGTH} characters as JSON`;
  throw invalid([{ loc: ['body', 'metadata'], msg, type: 'too_long' }]);
}
