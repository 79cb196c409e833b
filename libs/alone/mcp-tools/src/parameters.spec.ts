import { describe, expect, it } from '@jest/globals';
import { parametersOf } from './parameters.js';

describe('parametersOf', () => {
  it('returns each name once, in the order of the steps, wherever a text uses it', () => {
    const steps = [
      {
        name: 'a',
        type: 'prompt' as const,
        prompt: 'On {{ params.topic }} for {{params.reader.name}}, {{steps.x.output}}',
      },
      { name: 'b', type: 'tool' as const, tool: { arguments: { list: ['{{params.topic}}', '{{params.depth-1}}'] } } },
      { name: 'c', type: 'prompt' as const, prompt: 'params.none {{param.none}} {{params.}} {{ paramsx.none }}' },
    ];
    expect(parametersOf({ steps })).toEqual(['topic', 'reader', 'depth-1']);
  });
});
