import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@app/kernel';
import { readLease } from '../../control-plane/lease.js';
import { wireLease } from '../../testing/wire-lease.js';
import type { RunOptions } from '../runtime.js';
import { optionsOf } from './team-options.js';

function optionsFor(configuration: JsonObject, more: JsonObject = {}): RunOptions {
  const team = { id: 't', name: 'crew', configuration, agents: [] };
  const lease = readLease({ ...wireLease(), agent: null, team, ...more }, Date.now());
  if (lease === null) throw new Error('invalid lease');
  return optionsOf(lease);
}

describe('the options of a team', () => {
  it('are none by default', () => {
    const none = { responseSchema: null, reasoning: null, isDebugged: false };
    expect(optionsFor({})).toEqual(none);
    expect(optionsFor({ response_model: '{}', reasoning: { enabled: false }, debug_mode: null })).toEqual(none);
  });

  it('have a response model, as text or by name', () => {
    const schema = { type: 'array' };
    const metadata = { response_models: { list: schema } };
    const schemaOf = (configuration: JsonObject): unknown =>
      optionsFor({ structured_outputs: true, ...configuration }).responseSchema;
    expect(schemaOf({})).toEqual({ type: 'object' });
    expect(schemaOf({ response_model: JSON.stringify(schema) })).toEqual(schema);
    expect(schemaOf({ response_model: 'list', metadata })).toEqual(schema);
    expect(() => schemaOf({ response_model: 'toString', metadata })).toThrow('neither a JSON Schema nor the name');
  });

  it('have reasoning within bounds, with the model and the agent that it names', () => {
    const calls = [{ agent: { id: 'a', system_prompt: 'Doubt everything' }, model: { value: 'thinker' } }];
    const models = { 'model-id': { value: 'of-the-id' } };
    const reasoningOf = (reasoning: JsonObject): unknown =>
      optionsFor({ reasoning: { enabled: true, ...reasoning } }, { calls, models }).reasoning;
    expect(reasoningOf({})).toEqual({ model: null, systemPrompt: null, minSteps: 1, maxSteps: 10 });
    expect(reasoningOf({ model: 'model-id', min_steps: 9, max_steps: 4 })).toMatchObject({
      ...{ model: 'of-the-id', minSteps: 4, maxSteps: 4 },
    });
    expect(reasoningOf({ model: 'value', max_steps: 1000 })).toMatchObject({ model: 'value', maxSteps: 50 });
    expect(reasoningOf({ agent_id: 'a' })).toMatchObject({ model: 'thinker', systemPrompt: 'Doubt everything' });
  });
});
