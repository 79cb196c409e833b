import { invalid, isJsonObject, type JsonObject } from '@app/kernel';
import { overrideFaults } from '../jobs/job-rules.js';
import type { SignedCall, TriggerJob } from '../jobs/job.types.js';

const FIELDS = ['parameters', 'config_override', 'metadata'] as const;
/** In UTF-16 code units of the JSON. Metadata is returned with every run of a job's history, so it must be small. */
const MAX_METADATA_LENGTH = 16_384;

export interface JobWebhookTrigger extends TriggerJob {
  readonly metadata: JsonObject;
}

/**
 * Reads a webhook body `{parameters, config_override, metadata}`, each optional. Any other JSON object is used as the
 * parameters as a whole. Without a body, there are no parameters. Throws `invalid` for anything else, and for settings
 * of `config_override` that are not valid.
 */
export function readJobWebhookPayload(payload: unknown): JobWebhookTrigger {
  if (payload === undefined) return { metadata: {} };
  if (!isJsonObject(payload)) {
    throw invalid([{ path: [], msg: 'Input should be a valid object', type: 'dict_type' }]);
  }
  if (!hasKnownFieldsOnly(payload)) return { parameters: payload, metadata: {} };
  const { parameters, config_override, metadata } = payload;
  const faults = overrideFaults(payload);
  if (faults.length > 0) throw invalid(faults);
  return {
    ...(isJsonObject(parameters) ? { parameters } : {}),
    ...(isJsonObject(config_override) ? { config_override } : {}),
    metadata: isJsonObject(metadata) ? checkLength(metadata) : {},
  };
}

/**
 * Returns the text that Slack expects in the response when the URL of an app is set (`url_verification`). Returns
 * undefined for any other call.
 */
export function challengeOf({ call, job }: Pick<SignedCall, 'call' | 'job'>): string | undefined {
  if (job.webhook_signature !== 'slack') return undefined;
  const payload = call.payload();
  if (!isJsonObject(payload) || payload['type'] !== 'url_verification') return undefined;
  return typeof payload['challenge'] === 'string' ? payload['challenge'] : undefined;
}

function hasKnownFieldsOnly(payload: JsonObject): boolean {
  const fields: readonly string[] = FIELDS;
  return Object.entries(payload).every(
    ([name, value]) => fields.includes(name) && (value === null || isJsonObject(value)),
  );
}

function checkLength(metadata: JsonObject): JsonObject {
  if (JSON.stringify(metadata).length <= MAX_METADATA_LENGTH) return metadata;
  const msg = `Metadata should have at most ${MAX_METADATA_LENGTH} characters as JSON`;
  throw invalid([{ path: ['metadata'], msg, type: 'too_long' }]);
}
