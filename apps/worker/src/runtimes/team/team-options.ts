import { isJsonObject, parseExactJson, type JsonObject } from '@app/kernel';
import { objectIn, textIn } from '../../json-fields.js';
import type { Lease } from '../../control-plane/lease.js';
import { RuntimeFailure, type ReasoningOptions, type RunOptions } from '../runtime.js';

const DEFAULT_MAX_STEPS = 10;
/** Maximum number of reasoning steps, even if the configuration requests more. */
const MAX_STEPS = 50;

/**
 * Returns what the configuration of the team adds to the run of its leader. Throws a RuntimeFailure if it is
 * invalid.
 */
export function optionsOf(lease: Lease): RunOptions {
  const configuration = objectIn(lease.team, 'configuration');
  return {
    responseSchema: configuration['structured_outputs'] === true ? schemaIn(configuration) : null,
    reasoning: reasoningIn(objectIn(configuration, 'reasoning'), lease),
    isDebugged: configuration['debug_mode'] === true,
  };
}

/**
 * A response model is the text of a JSON Schema, or the name of one in the metadata; without one, any object is valid.
 */
function schemaIn(configuration: JsonObject): JsonObject {
  const model = textIn(configuration, 'response_model');
  if (model === null) return { type: 'object' };
  const named = objectIn(objectIn(configuration, 'metadata'), 'response_models');
  const schema = Object.hasOwn(named, model) ? named[model] : parsed(model);
  if (isJsonObject(schema)) return schema;
  throw new RuntimeFailure(
    `The response model ${model} is neither a JSON Schema nor the name of one in metadata.response_models`,
  );
}

function reasoningIn(reasoning: JsonObject, { calls, models }: Lease): ReasoningOptions | null {
  if (reasoning['enabled'] !== true) return null;
  const agentId = textIn(reasoning, 'agent_id');
  const thinker = agentId === null ? undefined : calls.find(({ agent }) => agent.id === agentId);
  const named = textIn(reasoning, 'model');
  const maxSteps = Math.min(countIn(reasoning, 'max_steps') ?? DEFAULT_MAX_STEPS, MAX_STEPS);
  return {
    model: named === null ? (thinker?.model ?? null) : (textIn(objectIn(models, named), 'value') ?? named),
    systemPrompt: thinker?.agent.systemPrompt ?? null,
    minSteps: Math.min(countIn(reasoning, 'min_steps') ?? 1, maxSteps),
    maxSteps,
  };
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function countIn(owner: JsonObject, field: string): number | null {
  const value = owner[field];
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}
