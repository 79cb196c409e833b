/**
 * The names of attributes that spans of the platform have, after the OpenTelemetry semantic conventions for generative AI
 * v0.1.0 (https://github.com/open-telemetry/semantic-conventions-genai), whose status is still "development". A change
 * of the conventions changes this file only; names of earlier conventions that other senders use are understood where
 * spans are received (libs/domains/traces, earlier-names.ts).
 */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  conversationId: 'gen_ai.conversation.id',
  workflowName: 'gen_ai.workflow.name',
  requestModel: 'gen_ai.request.model',
  isStreamed: 'gen_ai.request.stream',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  secondsToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  newlyCachedTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  errorType: 'error.type',
} as const;

/** Values of `gen_ai.operation.name`, which also begin the names of the spans. Only other senders use some of them. */
export const GEN_AI_OPERATIONS = {
  chat: 'chat',
  textCompletion: 'text_completion',
  generateContent: 'generate_content',
  embeddings: 'embeddings',
  executeTool: 'execute_tool',
  invokeAgent: 'invoke_agent',
  invokeWorkflow: 'invoke_workflow',
} as const;

/** `gen_ai.provider.name` of the platform: the protocol of the gateway, because the model behind it may be anyone's. */
export const GEN_AI_PROVIDER = 'openai';
