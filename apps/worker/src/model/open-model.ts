import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import { tracedModel } from '../tracing/traced-model.js';
import type { RunSpans } from '../tracing/run-spans.js';
import { RuntimeFailure, type ModelGateway } from '../runtimes/runtime.js';

// Otherwise the `ai` package prints warnings to the console, between the JSON lines of the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** A gateway with the spans of the run that uses it. */
type TracedGateway = ModelGateway & { readonly spans: RunSpans };

/** Throws a RuntimeFailure if there is no model, or if the URL of the gateway is not valid. */
export function openModel(
  { url, apiKey, spans }: TracedGateway,
  model: string | null,
  request: typeof fetch,
): LanguageModel {
  const name = requireModel(model);
  if (!URL.canParse(url)) {
    throw new RuntimeFailure(
      'No model gateway is configured: LLM_GATEWAY_URL is set neither on the worker nor on the platform',
    );
  }
  const provider = createOpenAICompatible({
    name: 'gateway',
    baseURL: withVersionPath(url),
    includeUsage: true,
    fetch: request,
    ...(apiKey === null ? {} : { apiKey }),
  });
  return tracedModel(provider.chatModel(name), spans);
}

/** Throws a RuntimeFailure if there is no model. */
export function requireModel(model: string | null): string {
  if (model !== null) return model;
  throw new RuntimeFailure('No model is configured: the agent has none and DEFAULT_MODEL is not set on the platform');
}

/** Appends `/v1` to a URL without a path. */
function withVersionPath(url: string): string {
  return new URL(url).pathname === '/' ? new URL('/v1', url).href : url;
}
