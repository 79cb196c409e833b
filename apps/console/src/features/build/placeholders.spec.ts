import { describe, expect, it } from '@jest/globals';
import { nestedValues, placeholdersIn, stepsBefore, workflowParameters } from './placeholders';

describe('the placeholders of a template', () => {
  it('are named once each, in their order', () => {
    expect(placeholdersIn('{{ customer.name }} wrote {{text}} to {{ customer.name }}, {{ }} {x}')).toEqual([
      'customer.name',
      'text',
    ]);
  });

  it('of a workflow are its parameters', () => {
    const steps = [
      { name: 'a', prompt: 'Write about {{params.topic}} in {{ params.style.tone }}' },
      { name: 'b', tool: { arguments: { text: '{{steps.a.output}} {{params.topic}}' } } },
    ];
    expect(workflowParameters(steps)).toEqual(['topic', 'style']);
  });

  it('of a step name the steps for which it waits', () => {
    const step = { name: 'c', depends_on: ['a'], prompt: '{{steps.b.output}} and {{ steps.a.output }}' };
    expect(stepsBefore(step)).toEqual(['a', 'b']);
    expect(stepsBefore({})).toEqual([]);
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
