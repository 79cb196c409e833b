import { describe, expect, it } from '@jest/globals';
import { nestedValues, workflowParameters } from './placeholders';

describe('the placeholders of what is run', () => {
  it('of a workflow are its parameters', () => {
    const steps = [
      { name: 'a', prompt: 'Write about {{params.topic}} in {{ params.style.tone }}' },
      { name: 'b', tool: { arguments: { text: '{{steps.a.output}} {{params.topic}}' } } },
    ];
    expect(workflowParameters(steps)).toEqual(['topic', 'style']);
  });

  it('become an object with what is entered', () => {
    const values = new Map([
      ['customer.name', 'Ada'],
      ['customer.city', 'London'],
      ['text', ''],
      ['__proto__.x', 'harmless'],
    ]);
    expect(JSON.parse(JSON.stringify(nestedValues(values)))).toEqual({
      customer: { name: 'Ada', city: 'London' },
      ['__proto__']: { x: 'harmless' },
    });
  });
});
