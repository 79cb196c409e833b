import { describe, expect, it } from '@jest/globals';
import { outputIn, parametersIn, usesOf } from './step-uses.js';

describe('names in templates', () => {
  it('mean the output of a step, or a part of it', () => {
    expect(outputIn('steps.a.output')).toEqual({ step: 'a', path: [] });
    expect(outputIn('steps.a-1.output.items.0')).toEqual({ step: 'a-1', path: ['items', '0'] });
    for (const other of ['steps', 'steps.a', 'steps.a.outputs', 'steps..output', 'params.steps.a.output'])
      expect(outputIn(other)).toBeUndefined();
  });

  it('mean parameters, each of which is listed once', () => {
    const tool = { server: '{{params.no}}', name: 't', arguments: { deep: [{ a: '{{ params.b.c }}' }, 7] } };
    const steps = [{ prompt: '{{params.a}} {{params.b.c}} {{other}} {{params.}}' }, { tool }, { prompt: 5 }];
    expect(parametersIn(steps)).toEqual(['a', 'b.c']);
  });
});

describe('the uses of a step', () => {
  it('are its order, its conditions and the outputs in its templates', () => {
    const step = {
      depends_on: ['a', 7],
      prompt: '{{steps.b.output}}',
      tool: { arguments: { x: '{{steps.c.output.d}}' } },
      when: [{ step: 'e', exists: true }, null, { step: 1 }],
    };
    expect(usesOf(step)).toEqual([
      { by: 'order', name: 'a', path: ['depends_on', '0'] },
      { by: 'condition', name: 'e', path: ['when', '0', 'step'] },
      { by: 'output', name: 'b', path: ['prompt'] },
      { by: 'output', name: 'c', path: ['tool', 'arguments', 'x'] },
    ]);
    expect(usesOf({ when: { step: 'a', exists: true } })).toMatchObject([{ by: 'condition', path: ['when', 'step'] }]);
    expect(usesOf({ depends_on: 'a', prompt: null, tool: 'x', when: 3 })).toEqual([]);
  });
});
