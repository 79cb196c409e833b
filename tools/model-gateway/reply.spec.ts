import { describe, expect, it } from '@jest/globals';
import { readChatRequest } from './chat-request.js';
import { planReply, type Reply } from './reply.js';

const tool = (name: string, properties: object = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties, required: Object.keys(properties) } },
});

function reply(prompt: string, more: object = {}, after: readonly object[] = []): Reply {
  const messages = [{ role: 'user', content: prompt }, ...after];
  return planReply(readChatRequest({ model: 'development-model', messages, ...more }));
}

const toolResponse = (name: string, result: string, id = 'call_1') => [
  { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }] },
  { role: 'tool', tool_call_id: id, content: result },
];

describe('planReply', () => {
  it('echoes the prompt with its label when no tools are offered', () => {
    expect(reply('hello there').content.join('')).toBe('[development model] You said (2 words): hello there');
  });

  it('calls a tool that the prompt names, also with spaces instead of underscores', () => {
    const { calls, finishReason } = reply('Please get weather for city=Rome', {
      tools: [tool('other'), tool('get_weather', { city: { type: 'string' } })],
    });
    expect(calls).toEqual([{ name: 'get_weather', arguments: { city: 'Rome' } }]);
    expect(finishReason).toBe('tool_calls');
  });

  it('repeats the messages before the last user message', () => {
    const messages = [
      ...[
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'one' },
      ],
      ...[{ role: 'assistant', content: 'two' }, ...toolResponse('add', '42'), { role: 'user', content: '[[recall]]' }],
    ];
    const { content } = planReply(readChatRequest({ model: 'development-model', messages }));
    expect(content.join('')).toBe('[development model] user: one\nassistant: two');
  });

  it('does not recognize a tool name inside a longer word', () => {
    expect(reply('readdress this', { tools: [tool('add')] }).calls).toEqual([]);
  });

  it('calls one mentioned tool per step and then replies with the results', () => {
    const tools = [tool('first'), tool('second')];
    const prompt = 'use second, then first';
    expect(reply(prompt, { tools }).calls.map((call) => call.name)).toEqual(['second']);
    const afterOne = toolResponse('second', 'two');
    expect(reply(prompt, { tools }, afterOne).calls.map((call) => call.name)).toEqual(['first']);
    const afterBoth = [...afterOne, ...toolResponse('first', 'one', 'call_2')];
    expect(reply(prompt, { tools }, afterBoth).content.join('')).toBe(
      '[development model] The tool second answered: two\nThe tool first answered: one',
    );
  });

  it('calls all tools in one step with the parallel directive', () => {
    const calls = reply('first and second [[parallel]]', { tools: [tool('first'), tool('second')] }).calls;
    expect(calls.map((call) => call.name)).toEqual(['first', 'second']);
  });

  it('obeys tool_choice', () => {
    const tools = [tool('first'), tool('second')];
    expect(reply('first', { tools, tool_choice: 'none' }).calls).toEqual([]);
    expect(reply('nothing', { tools, tool_choice: 'required' }).calls.map((call) => call.name)).toEqual(['first']);
    const named = { type: 'function', function: { name: 'second' } };
    expect(reply('nothing', { tools, tool_choice: named }).calls.map((call) => call.name)).toEqual(['second']);
  });

  it('repeats a scripted call the requested number of times', () => {
    const prompt = '[[tool again {"n":1} x2]]';
    const tools = [tool('again')];
    expect(reply(prompt, { tools }, toolResponse('again', 'ok')).calls).toEqual([
      { name: 'again', arguments: { n: 1 } },
    ]);
    const twice = [...toolResponse('again', 'ok'), ...toolResponse('again', 'ok', 'call_2')];
    expect(reply(prompt, { tools }, twice).calls).toEqual([]);
  });

  it('returns exactly the requested number of tokens, fewer or more than the echo', () => {
    expect(reply('[[tokens 3]] hello').content).toHaveLength(3);
    expect(reply('[[tokens 500]] hello').content).toHaveLength(500);
  });

  it('truncates at max_tokens and at a stop sequence', () => {
    const cut = reply('[[tokens 9]]', { max_tokens: 4 });
    expect([cut.content.length, cut.finishReason]).toEqual([4, 'length']);
    expect(reply('[[say one STOP two]]', { stop: 'STOP' }).content.join('')).toBe('one ');
  });

  it('returns an object that conforms to the JSON schema', () => {
    const schema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    expect(JSON.parse(reply('give 12', { response_format: format }).content.join(''))).toEqual({ count: 12 });
  });
});
