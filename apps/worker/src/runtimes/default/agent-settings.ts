import { withoutUndefined, type JsonObject } from '@app/kernel';
import type { JSONValue } from 'ai';
import { readNumber } from '../../json-fields.js';
import type { Lease } from '../../control-plane/lease.js';

const DEFAULT_MAX_STEPS = 20;
const DEFAULT_TOOL_TIMEOUT_SECONDS = 60;

/** Limits of one run of the agent loop. */
export interface LoopLimits {
  /** Maximum number of requests to the model. */
  readonly maxSteps: number;
  /** Maximum duration of one tool call, in milliseconds. */
  readonly toolTimeoutMs: number;
}

/**
 * Reads `max_steps` and `tool_timeout_seconds` of an agent's configuration; a value that is not a positive number is
 * ignored.
 */
export function loopLimits(configuration: JsonObject): LoopLimits {
  return {
    maxSteps: Math.floor(positiveNumber(configuration['max_steps']) ?? DEFAULT_MAX_STEPS) || 1,
    toolTimeoutMs: 1000 * (positiveNumber(configuration['tool_timeout_seconds']) ?? DEFAULT_TOOL_TIMEOUT_SECONDS),
  };
}

export interface SamplingSettings {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: string[];
}

/**
 * Maps an agent's `llm_config` to the option names of the `ai` package. Settings that are not given are not sent to the
 * model.
 */
export function samplingSettings(llm: JsonObject): SamplingSettings {
  const stop = Array.isArray(llm['stop']) ? llm['stop'] : [llm['stop']];
  const stopSequences = stop.filter((sequence): sequence is string => typeof sequence === 'string' && sequence !== '');
  return withoutUndefined({
    temperature: finiteNumber(llm['temperature']),
    maxOutputTokens: finiteNumber(llm['max_tokens']),
    topP: finiteNumber(llm['top_p']),
    topK: finiteNumber(llm['top_k']),
    frequencyPenalty: finiteNumber(llm['frequency_penalty']),
    presencePenalty: finiteNumber(llm['presence_penalty']),
    seed: finiteNumber(llm['seed']),
    stopSequences: stopSequences.length === 0 ? undefined : stopSequences,
  });
}

/**
 * The system prompt of the execution overrides the agent's; the instructions of skills and then the thoughts are
 * appended.
 */
export function systemPrompt(lease: Lease, thoughts: readonly string[] = []): string | undefined {
  const own = lease.systemPrompt ?? lease.agent.systemPrompt;
  const parts = [...(own === null ? [] : [own]), ...lease.instructions, ...thoughtsText(thoughts)];
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function thoughtsText(thoughts: readonly string[]): string[] {
  return thoughts.length === 0 ? [] : [`You have thought about the request:\n${thoughts.join('\n')}`];
}

/** Asks the model for JSON that fits a schema; `gateway` is the name of the provider. */
export function jsonResponse(schema: JsonObject): { gateway: { response_format: JSONValue } } {
  const json_schema = { name: 'response', schema } as JSONValue;
  return { gateway: { response_format: { type: 'json_schema', json_schema } } };
}

function finiteNumber(value: unknown): number | undefined {
  return readNumber(value) ?? undefined;
}

function positiveNumber(value: unknown): number | undefined {
  const parsed = finiteNumber(value);
  return parsed !== undefined && parsed > 0 ? parsed : undefined;
}
