import { describe, expect, it } from '@jest/globals';
import type { AttributeValue } from './attributes.js';
import { withCurrentNames } from './earlier-names.js';

const currentOf = (attributes: Readonly<Record<string, AttributeValue>>): Record<string, AttributeValue> =>
  Object.fromEntries(
    [...withCurrentNames(new Map(Object.entries(attributes)))].filter(([name]) => !(name in attributes)),
  );

describe('withCurrentNames', () => {
  it.each([
    [
      'the conventions of OpenTelemetry up to 1.36',
      { 'gen_ai.system': 'openai', 'gen_ai.usage.prompt_tokens': 5n, 'gen_ai.usage.completion_tokens': 2n },
      { 'gen_ai.provider.name': 'openai', 'gen_ai.usage.input_tokens': 5n, 'gen_ai.usage.output_tokens': 2n },
    ],
    [
      'OpenInference',
      {
        'openinference.span.kind': 'LLM',
        'llm.provider': 'azure',
        'llm.system': 'openai',
        'llm.model_name': 'gpt-5',
        'llm.token_count.prompt': 5n,
        'llm.token_count.completion': 2n,
        'session.id': 's',
      },
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'azure',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.usage.input_tokens': 5n,
        'gen_ai.usage.output_tokens': 2n,
        'gen_ai.conversation.id': 's',
      },
    ],
    [
      'the AI SDK',
      {
        'ai.operationId': 'ai.streamText.doStream',
        'ai.model.id': 'claude',
        'ai.model.provider': 'anthropic.messages',
        'ai.usage.promptTokens': 5n,
        'ai.usage.completionTokens': 2n,
      },
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic.messages',
        'gen_ai.request.model': 'claude',
        'gen_ai.usage.input_tokens': 5n,
        'gen_ai.usage.output_tokens': 2n,
      },
    ],
    [
      'a tool of the AI SDK',
      { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'search', 'ai.toolCall.id': 'c1' },
      { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search', 'gen_ai.tool.call.id': 'c1' },
    ],
    ['the kind of OpenInference that no operation has', { 'openinference.span.kind': 'CHAIN' }, {}],
    ['a kind that every object has as a property', { 'openinference.span.kind': 'constructor' }, {}],
    ['the function of the AI SDK, whose request has a span of its own', { 'ai.operationId': 'ai.generateText' }, {}],
    ['names that also other spans have', { 'session.id': 's', 'tool.name': 'hammer' }, {}],
  ])('adds the current names to those of %s', (_sender, sent, added) => {
    expect(currentOf(sent)).toEqual(added);
  });

  it('keeps what the sender named, and replaces nothing', () => {
    const sent = new Map([
      ['gen_ai.system', 'openai'],
      ['gen_ai.provider.name', 'azure.ai.openai'],
    ]);
    expect(withCurrentNames(sent)).toBe(sent);
    expect(withCurrentNames(new Map([['gen_ai.system', 'openai']])).get('gen_ai.system')).toBe('openai');
  });
});
