import { describe, expect, it } from '@jest/globals';
import { toModelMessages } from './model-messages.js';

const call = (id: string) => ({ id, name: 'add', arguments: { a: 1 } });
const calling = (...ids: string[]) => ({ role: 'assistant', content: '', tool_calls: ids.map(call) });
const result = (id: string, content: string, status = 'success') => ({
  ...{ role: 'tool', tool_call_id: id, tool_name: 'add', content, status },
});
const resultPart = (id: string, value: string, type = 'text') => ({
  ...{ type: 'tool-result', toolCallId: id, toolName: 'add', output: { type, value } },
});

describe('stored messages for the model', () => {
  it('are texts, tool calls and their results', () => {
    const stored = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Wait', tool_calls: [call('1'), call('2')] },
      result('2', 'broken', 'failed'),
      result('1', '42'),
      { role: 'assistant', content: 'Done' },
    ];
    expect(toModelMessages(stored)).toEqual([
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Wait' },
          { type: 'tool-call', toolCallId: '1', toolName: 'add', input: { a: 1 } },
          { type: 'tool-call', toolCallId: '2', toolName: 'add', input: { a: 1 } },
        ],
      },
      { role: 'tool', content: [resultPart('1', '42'), resultPart('2', 'broken', 'error-text')] },
      { role: 'assistant', content: 'Done' },
    ]);
  });

  it('use later messages of users as the result of a call that has no result', () => {
    const stored = [
      calling('1', '2'),
      result('1', '42'),
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ];
    expect(toModelMessages(stored)[1]).toEqual({
      role: 'tool',
      content: [resultPart('1', '42'), resultPart('2', 'a\nb')],
    });
    expect(toModelMessages(stored)).toHaveLength(2);
    expect(toModelMessages([calling('1')])[1]).toEqual({
      role: 'tool',
      content: [resultPart('1', 'There is no result.')],
    });
  });

  it('keep messages of users after all results', () => {
    const stored = [calling('1'), result('1', '42'), { role: 'user', content: 'and now?' }];
    expect(toModelMessages(stored).map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
  });

  it('omit messages of members', () => {
    const stored = [
      { role: 'user', content: 'a' },
      { ...calling('m'), source: 'member' },
      { role: 'assistant', content: 'b' },
    ];
    expect(toModelMessages(stored)).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ]);
  });
});
