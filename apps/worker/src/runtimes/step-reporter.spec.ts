import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@app/kernel';
import { NestedConversation } from '../conversation/conversation.js';
import { StepReporter } from './step-reporter.js';

describe('StepReporter', () => {
  it('names the calls of different steps differently, even if the model repeats their ids', () => {
    const published: (readonly [string, unknown])[] = [];
    const publish = (type: string, data: JsonObject): void => {
      published.push([type, data['tool_execution_id']]);
    };
    const steps = new StepReporter({ publish, conversation: new NestedConversation() });
    for (const output of ['first', 'second']) {
      steps.startStep();
      steps.startTool('call_0', 'search', {});
      steps.completeTool('call_0', { status: 'success', tool_output: output, tool_error: null });
      steps.storeStep();
    }
    const [first, , second] = published.map(([, id]) => id);
    expect(published).toEqual([
      ['tool_started', first],
      ['tool_completed', first],
      ['tool_started', second],
      ['tool_completed', second],
    ]);
    expect(first).not.toEqual(second);
  });
});
