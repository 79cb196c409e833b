import { GEN_AI, GEN_AI_OPERATIONS } from '@app/observability';
import { textOf, type Attributes, type AttributeValue } from './attributes.js';

/**
 * Names that senders use for attributes of the current conventions (`GEN_AI`): of the OpenTelemetry conventions up to
 * 1.36, of OpenInference (`llm.*`) and of the AI SDK up to version 6 (`ai.*`). Of two names for one attribute the first wins.
 */
const EARLIER_NAMES: readonly (readonly [earlier: string, current: string])[] = [
  ['gen_ai.system', GEN_AI.provider],
  ['gen_ai.usage.prompt_tokens', GEN_AI.inputTokens],
  ['gen_ai.usage.completion_tokens', GEN_AI.outputTokens],
  ['llm.provider', GEN_AI.provider],
  ['llm.system', GEN_AI.provider],
  ['llm.model_name', GEN_AI.requestModel],
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
  ['ai.usage.outputTokens', GEN_AI.outputTokens],
  ['ai.usage.completionTokens', GEN_AI.outputTokens],
  ['ai.usage.cachedInputTokens', GEN_AI.cachedTokens],
  ['ai.toolCall.name', GEN_AI.toolName],
  ['ai.toolCall.id', GEN_AI.toolCallId],
];
/** Names that the current conventions do not have either begin so; spans without any of them are not searched. */
const PREFIX = /^(?:gen_ai\.|llm\.|ai\.|embedding\.|openinference\.)/;

/** Operations by the kinds of OpenInference (`openinference.span.kind`). */
const OPERATIONS_BY_KIND: ReadonlyMap<string, string> = new Map([
  ['LLM', GEN_AI_OPERATIONS.chat],
  ['EMBEDDING', 'embeddings'],
  ['TOOL', GEN_AI_OPERATIONS.executeTool],
  ['AGENT', GEN_AI_OPERATIONS.invokeAgent],
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
  const call = textOf(attributes, 'ai.operationId');
  if (call === undefined) return undefined;
  if (call === 'ai.toolCall') return GEN_AI_OPERATIONS.executeTool;
  if (call.startsWith('ai.embed')) return 'embeddings';
  return /\.do(?:Generate|Stream)$/.test(call) ? GEN_AI_OPERATIONS.chat : undefined;
}
