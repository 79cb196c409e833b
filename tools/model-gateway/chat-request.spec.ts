import { describe, expect, it } from '@jest/globals';
import { readChatRequest } from './chat-request.js';
import { GatewayError } from './gateway-error.js';

const validRequest = { model: 'development-model', messages: [{ role: 'user', content: 'x' }] };
const toolCall = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };

function validationFault(body: unknown): { status: number; param: string | null; code: string | null } {
  try {
    readChatRequest(body);
  } catch (error) {
    if (error instanceof GatewayError) return { status: error.status, param: error.param, code: error.code };
    throw error;
  }
  throw new Error('The request was accepted');
}

describe('readChatRequest', () => {
  it.each([
    ['no model', { messages: validRequest.messages }, 400, null, null],
    ['an unknown model', { ...validRequest, model: 'other' }, 404, null, 'model_not_found'],
    ['no messages', { model: validRequest.model }, 400, 'messages', 'missing_required_parameter'],
    ['empty messages', { ...validRequest, messages: [] }, 400, 'messages', 'empty_array'],
    [
      'an unknown role',
      { ...validRequest, messages: [{ role: 'boss', content: '' }] },
      400,
      'messages[0].role',
      'invalid_value',
    ],
    [
      'a user message without content',
      { ...validRequest, messages: [{ role: 'user' }] },
      400,
      'messages[0].content',
      'invalid_type',
    ],
    [
      'a tool message without a call',
      { ...validRequest, messages: [{ role: 'tool', tool_call_id: 'c', content: '' }] },
      400,
      'messages[0].role',
      null,
    ],
    [
      'a tool call without a response',
      { ...validRequest, messages: [{ role: 'assistant', tool_calls: [toolCall] }] },
      400,
      'messages[1].role',
      null,
    ],
    ['a temperature over 2', { ...validRequest, temperature: 2.1 }, 400, 'temperature', 'decimal_above_max_value'],
    ['max_tokens of 0', { ...validRequest, max_tokens: 0 }, 400, 'max_tokens', 'integer_below_min_value'],
    [
      'a bad tool name',
      { ...validRequest, tools: [{ type: 'function', function: { name: 'a b' } }] },
      400,
      'tools[0].function.name',
      'invalid_value',
    ],
    ['tool_choice without tools', { ...validRequest, tool_choice: 'auto' }, 400, 'tool_choice', null],
    ['stream_options without stream', { ...validRequest, stream_options: {} }, 400, 'stream_options', null],
    ['several choices', { ...validRequest, n: 2 }, 400, 'n', 'unsupported_value'],
    ['a stream flag that is not a boolean', { ...validRequest, stream: 'yes' }, 400, 'stream', 'invalid_type'],
  ])('rejects %s', (_what, body, status, param, code) => {
    expect(validationFault(body)).toEqual({ status, param, code });
  });

  it('accepts content parts, null for optional parameters and unknown fields', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'data:' } },
      { type: 'text', text: 'b' },
    ];
    const request = readChatRequest({
      ...validRequest,
      messages: [{ role: 'user', content: parts }],
      tools: null,
      stop: null,
      seed: 1,
    });
    expect(request.messages[0]?.text).toBe('ab');
  });
});
