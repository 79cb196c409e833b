import { withoutUndefined, type JsonObject } from '@app/kernel';
import type { Lease } from '../../lease.js';

const DEFAULT_MAX_STEPS = 20;
const DEFAULT_TOOL_TIMEOUT_SECONDS = 60;

/** Bounds of one run of the loop. */
export interface LoopLimits {
  /** Requests to the model. */
  readonly maxSteps: number;
  /** One tool call, in milliseconds. */
  readonly toolTimeoutMs: number;
}

/** Reads `max_steps` and `tool_timeout_seconds` of an agent's configuration; what is not a sensible number counts as not given. */
export function loopLimits(configuration: JsonObject): LoopLimits {
  return {
    maxSteps: Math.floor(positive(configuration['max_steps']) ?? DEFAULT_MAX_STEPS) || 1,
    toolTimeoutMs: 1000 * (positive(configuration['tool_timeout_seconds']) ?? DEFAULT_TOOL_TIMEOUT_SECONDS),
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

/** The `llm_config` of an agent in the model library's words. Only what was given is sent to the model. */
export function samplingSettings(llm: JsonObject): SamplingSettings {
  const stop = Array.isArray(llm['stop']) ? llm['stop'] : [llm['stop']];
  const stopSequences = stop.filter((sequence): sequence is string => typeof sequence === 'string' && sequence !== '');
  return withoutUndefined({
    temperature: number(llm['temperature']),
    maxOutputTokens: number(llm['max_tokens']),
    topP: number(llm['top_p']),
    topK: number(llm['top_k']),
    frequencyPenalty: number(llm['frequency_penalty']),
    presencePenalty: number(llm['presence_penalty']),
    seed: number(llm['seed']),
    stopSequences: stopSequences.length === 0 ? undefined : stopSequences,
  });
}

/** The execution's own system prompt takes the place of the agent's. */
export function systemPrompt(lease: Lease): string | undefined {
  return lease.systemPrompt ?? lease.agent.systemPrompt ?? undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function positive(value: unknown): number | undefined {
  const given = number(value);
  return given !== undefined && given > 0 ? given : undefined;
}
