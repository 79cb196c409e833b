import { GEN_AI, GEN_AI_OPERATIONS } from '@app/observability';
import { textOf, type Attributes, type AttributeValue } from './attributes.js';

/**
 * Names that senders use for attributes of the current conventions (`GEN_AI`): of the OpenTelemetry conventions up to
 * 1.36, of OpenInference and OpenLLMetry (`llm.*`) and of
 * the AI SDK up to version 6 (`ai.*`). Of two names for one attribute the first wins.
 */
const EARLIER_NAMES: readonly (readonly [earlier: string, current: string])[] = [
  ['gen_ai.system', GEN_AI.provider],
  ['gen_ai.usage.prompt_tokens', GEN_AI.inputTokens],
  ['gen_ai.usage.completion_tokens', GEN_AI.outputTokens],
  ['llm.provider', GEN_AI.provider],
  ['llm.system', GEN_AI.provider],
  ['llm.model_name', GEN_AI.requestModel],
  ['llm.request.model_name', GEN_AI.requestModel],
  ['llm.response.model_name', GEN_AI.responseModel],
  ['embedding.model_name', GEN_AI.requestModel],
  ['llm.token_count.prompt', GEN_AI.inputTokens],
  ['llm.token_count.completion', GEN_AI.outputTokens],
  ['llm.token_count.prompt_details.cache_read', GEN_AI.cachedTokens],
  ['session.id', GEN_AI.conversationId],
  ['agent.name', GEN_AI.agentName],
  ['tool.name', GEN_AI.toolName],
  ['ai.model.provider', GEN_AI.provider],
  ['ai.model.id', GEN_AI.requestModel],
  ['ai.response.model', GEN_AI.responseModel],
  ['ai.response.id', GEN_AI.responseId],
  ['ai.usage.inputTokens', GEN_AI.inputTokens],
  ['ai.usage.promptTokens', GEN_AI.inputTokens],
  ['ai.usage.tokens', GEN_AI.inputTokens],
  ['ai.usage.outputTokens', GEN_AI.outputTokens],
  ['ai.usage.completionTokens', GEN_AI.outputTokens],
  ['ai.usage.cachedInputTokens', GEN_AI.cachedTokens],
  ['ai.toolCall.name', GEN_AI.toolName],
  ['ai.toolCall.id', GEN_AI.toolCallId],
];
/** Attributes that state all tokens of a request, which the current conventions do not have. */
export const TOTAL_TOKENS: readonly string[] = [
  'gen_ai.usage.total_tokens',
  'llm.token_count.total',
  'llm.usage.total_tokens',
  'ai.usage.totalTokens',
];

/**
 * Attributes that state the cost of a request, which the current conventions do not have: of OpenLIT and others, LiteLLM,
 * OpenInference, OpenLLMetry and Logfire. The sum of a group is the cost; the first group that is present is used.
 */
export const COST: readonly (readonly string[])[] = [
  ['gen_ai.usage.cost'],
  ['gen_ai.usage.total_cost'],
  ['gen_ai.usage.cost_usd'],
  ['gen_ai.usage.input_cost', 'gen_ai.usage.output_cost'],
  ['gen_ai.cost.total_cost'],
  ['litellm.cost.total'],
  ['llm.cost.total'],
  ['llm.cost.prompt', 'llm.cost.completion'],
  ['llm.usage.total_cost'],
  ['operation.cost'],
];

/** Attributes that name what a span is in earlier conventions. */
export const EARLIER_OPERATIONS: readonly string[] = [
  'openinference.span.kind',
  'ai.operationId',
  'llm.request.type',
  'traceloop.span.kind',
];

/** Names that the current conventions do not have either begin so; spans without any of them are not searched. */
const PREFIX = /^(?:gen_ai\.|llm\.|ai\.|embedding\.|openinference\.)/;

/** Operations by the kinds of OpenInference (`openinference.span.kind`). */
const OPERATIONS_BY_KIND: ReadonlyMap<string, string> = new Map([
  ['LLM', GEN_AI_OPERATIONS.chat],
  ['EMBEDDING', GEN_AI_OPERATIONS.embeddings],
  ['TOOL', GEN_AI_OPERATIONS.executeTool],
  ['AGENT', GEN_AI_OPERATIONS.invokeAgent],
]);

/** Operations by the types of OpenLLMetry (`llm.request.type`). */
const OPERATIONS_BY_TYPE: ReadonlyMap<string, string> = new Map([
  ['chat', GEN_AI_OPERATIONS.chat],
  ['completion', GEN_AI_OPERATIONS.textCompletion],
  ['embedding', GEN_AI_OPERATIONS.embeddings],
]);

/**
 * Returns the attributes with those of the current conventions that they have under an earlier name. What the sender
 * named is kept, and an attribute that it already sent under the current name is not replaced.
 */
export function withCurrentNames(attributes: Attributes): Attributes {
  if (!speaksOfModels(attributes)) return attributes;
  const added = new Map<string, AttributeValue>();
  for (const [earlier, current] of EARLIER_NAMES) {
    const value = attributes.get(earlier);
    if (value !== undefined && !attributes.has(current) && !added.has(current)) added.set(current, value);
  }
  const operation = operationOf(attributes);
  if (operation !== undefined && !attributes.has(GEN_AI.operation)) added.set(GEN_AI.operation, operation);
  return added.size === 0 ? attributes : new Map([...attributes, ...added]);
}

function speaksOfModels(attributes: Attributes): boolean {
  for (const name of attributes.keys()) if (PREFIX.test(name)) return true;
  return false;
}

/** The AI SDK names an operation by its function, and has a further span for the request of that function to the model. */
function operationOf(attributes: Attributes): string | undefined {
  const kind = textOf(attributes, 'openinference.span.kind');
  if (kind !== undefined) return OPERATIONS_BY_KIND.get(kind);
  const type = textOf(attributes, 'llm.request.type');
  if (type !== undefined) return OPERATIONS_BY_TYPE.get(type);
  const call = textOf(attributes, 'ai.operationId');
  if (call === undefined) return undefined;
  if (call === 'ai.toolCall') return GEN_AI_OPERATIONS.executeTool;
  if (call.endsWith('.doEmbed')) return GEN_AI_OPERATIONS.embeddings;
  return /\.do(?:Generate|Stream)$/.test(call) ? GEN_AI_OPERATIONS.chat : undefined;
}
