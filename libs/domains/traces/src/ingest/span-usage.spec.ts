import { describe, expect, it } from '@jest/globals';
import type { AttributeValue } from './attributes.js';
import { withCurrentNames } from './earlier-names.js';
import { usageOf, usageText, withPrices } from './span-usage.js';

const usage = (attributes: Readonly<Record<string, AttributeValue>>) =>
  usageOf(withCurrentNames(new Map(Object.entries(attributes))));
const tokens = { 'gen_ai.usage.input_tokens': 7n, 'gen_ai.usage.output_tokens': 3n };
const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
const counted = { model: 'm', input_tokens: 7, output_tokens: 3, total_tokens: 10, cost_nanos: null };

describe('the usage of a span', () => {
  it.each<[string, Readonly<Record<string, AttributeValue>>]>([
    ['an agent', { ...chat, ...tokens, 'gen_ai.operation.name': 'invoke_agent' }],
    ['an operation that the conventions do not have', { ...chat, ...tokens, 'gen_ai.operation.name': 'think' }],
    ['a chain of OpenInference', { 'openinference.span.kind': 'CHAIN', 'llm.model_name': 'm', ...tokens }],
    ['an agent of OpenInference', { 'openinference.span.kind': 'AGENT', 'llm.model_name': 'm', ...tokens }],
    ['a function of the AI SDK', { 'ai.operationId': 'ai.generateText', 'ai.model.id': 'm', ...tokens }],
    ['a function of the AI SDK for embeddings', { 'ai.operationId': 'ai.embed', 'ai.model.id': 'm', ...tokens }],
    ['a workflow of OpenLLMetry', { 'traceloop.span.kind': 'workflow', 'gen_ai.request.model': 'm', ...tokens }],
    ['a span with tokens but no model', tokens],
    ['a span with a model but no tokens', { 'gen_ai.request.model': 'm' }],
    ['a request of which nothing is known', { 'gen_ai.operation.name': 'chat' }],
  ])('is null for %s', (_kind, attributes) => {
    expect(usage(attributes)).toBeNull();
  });

  it.each<[string, Readonly<Record<string, AttributeValue>>]>([
    ['a chat', { ...chat, ...tokens }],
    ['text_completion', { ...chat, ...tokens, 'gen_ai.operation.name': 'text_completion' }],
    ['generate_content', { ...chat, ...tokens, 'gen_ai.operation.name': 'generate_content' }],
    ['a request without an operation', { 'gen_ai.request.model': 'm', ...tokens }],
    ['a request of OpenLLMetry', { 'llm.request.type': 'completion', 'gen_ai.request.model': 'm', ...tokens }],
    ['the model that answered', { 'gen_ai.operation.name': 'chat', 'gen_ai.response.model': 'm', ...tokens }],
    [
      'a request of OpenInference with both models',
      {
        'openinference.span.kind': 'LLM',
        'llm.request.model_name': 'm',
        'llm.response.model_name': 'm-2026',
        ...tokens,
      },
    ],
  ])('has the model and tokens of %s', (_kind, attributes) => {
    expect(usage(attributes)).toEqual(counted);
  });

  it('has the tokens of an embedding', () => {
    const attributes = { 'ai.operationId': 'ai.embed.doEmbed', 'ai.model.id': 'm', 'ai.usage.tokens': 4n };
    expect(usage(attributes)).toEqual({ ...counted, input_tokens: 4, output_tokens: null, total_tokens: 4 });
  });

  it.each<[Readonly<Record<string, AttributeValue>>, number | null]>([
    [{ 'gen_ai.usage.cost': 0.25, 'llm.cost.total': 1 }, 250_000_000],
    [{ 'gen_ai.usage.total_cost': 1n }, 1_000_000_000],
    [{ 'gen_ai.usage.input_cost': 0.5, 'gen_ai.usage.output_cost': 0.25 }, 750_000_000],
    [{ 'gen_ai.cost.total_cost': 0 }, 0],
    [{ 'llm.cost.prompt': 0.5 }, 500_000_000],
    [{ 'operation.cost': 1e-9 }, 1],
    [{ 'llm.cost.total': -1 }, null],
    [{ 'llm.cost.total': Number.NaN }, null],
    [{ 'llm.cost.total': 1e300 }, null],
    [{ 'llm.cost.total': '1' }, null],
    [{}, null],
  ])('with %j costs %p', (cost, nanos) => {
    expect(usage({ ...chat, ...tokens, ...cost })).toEqual({ ...counted, cost_nanos: nanos });
  });

  it('has the cost by the prices of the platform, if it knows all of them', () => {
    const sent = { ...counted, cost_nanos: 5 };
    expect(withPrices(sent, { input: 1, output: 2 })).toEqual({ ...sent, cost_nanos: 13_000 });
    expect(withPrices(sent, { input: 1 })).toBe(sent);
    expect(usageText(withPrices(sent, {}))).toBe(
      '{"model":"m","input_tokens":7,"output_tokens":3,"total_tokens":10,"cost":5e-9}',
    );
    expect(usageText(null)).toBe('null');
  });

  it('shortens the names of models, and replaces what the database cannot store', () => {
    expect(usage({ ...chat, 'gen_ai.request.model': `\ud800${'😀'.repeat(300)}` })?.model).toBe(
      `\ufffd${'😀'.repeat(254)}`,
    );
  });
});
