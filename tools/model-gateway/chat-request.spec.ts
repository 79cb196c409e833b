import { describe, expect, it } from '@jest/globals';
import { readChatRequest } from './chat-request.js';
import { GatewayError } from './gateway-error.js';

const fine = { model: 'development-model', messages: [{ role: 'user', content: 'x' }] };
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };

function refusal(body: unknown): { status: number; param: string | null; code: string | null } {
  try {
    readChatRequest(body);
  } catch (error) {
    if (error instanceof GatewayError) return { status: error.status, param: error.param, code: error.code };
    throw error;
  }
  throw new Error('the request was accepted');
}

describe('readChatRequest', () => {
  it.each([
    ['no model', { messages: fine.messages }, 400, null, null],
    ['an unknown model', { ...fine, model: 'other' }, 404, null, 'model_not_found'],
    ['no messages', { model: fine.model }, 400, 'messages', 'missing_required_parameter'],
    ['empty messages', { ...fine, messages: [] }, 400, 'messages', 'empty_array'],
    [
      'an unknown role',
      { ...fine, messages: [{ role: 'boss', content: '' }] },
      400,
      'messages[0].role',
      'invalid_value',
    ],
    [
      'a user message without content',
      { ...fine, messages: [{ role: 'user' }] },
      400,
      'messages[0].content',
      'invalid_type',
    ],
    [
      'a tool answer to no call',
      { ...fine, messages: [{ role: 'tool', tool_call_id: 'c', content: '' }] },
      400,
      'messages[0].role',
      null,
    ],
    [
      'a call without an answer',
      { ...fine, messages: [{ role: 'assistant', tool_calls: [call] }] },
      400,
      'messages[1].role',
      null,
    ],
    ['a temperature over 2', { ...fine, temperature: 2.1 }, 400, 'temperature', 'decimal_above_max_value'],
    ['max_tokens of 0', { ...fine, max_tokens: 0 }, 400, 'max_tokens', 'integer_below_min_value'],
    [
      'a bad tool name',
      { ...fine, tools: [{ type: 'function', function: { name: 'a b' } }] },
      400,
      'tools[0].function.name',
      'invalid_value',
    ],
    ['tool_choice without tools', { ...fine, tool_choice: 'auto' }, 400, 'tool_choice', null],
    ['stream_options without stream', { ...fine, stream_options: {} }, 400, 'stream_options', null],
    ['several choices', { ...fine, n: 2 }, 400, 'n', 'unsupported_value'],
    ['a stream flag that is no boolean', { ...fine, stream: 'yes' }, 400, 'stream', 'invalid_type'],
  ])('refuses %s', (_what, body, status, param, code) => {
    expect(refusal(body)).toEqual({ status, param, code });
  });

  it('accepts content parts, null for optional parameters and fields it does not know', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'data:' } },
      { type: 'text', text: 'b' },
    ];
    const request = readChatRequest({
      ...fine,
      messages: [{ role: 'user', content: parts }],
      tools: null,
      stop: null,
      seed: 1,
    });
    expect(request.messages[0]?.text).toBe('ab');
  });
});
