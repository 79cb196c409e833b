import { describe, expect, it } from '@jest/globals';
import { placeholdersIn, stepsBefore } from './templates';

describe('the placeholders of a template', () => {
  it('are named once each, in their order', () => {
    expect(placeholdersIn('{{ customer.name }} wrote {{text}} to {{ customer.name }}, {{ }} {x}')).toEqual([
      'customer.name',
      'text',
    ]);
  });

  it('of a step name the steps for which it waits', () => {
    const step = { name: 'c', depends_on: ['a'], prompt: '{{steps.b.output}} and {{ steps.a.output }}' };
    expect(stepsBefore(step)).toEqual(['a', 'b']);
    expect(stepsBefore({})).toEqual([]);
  });
});
