import { invalidRequest } from './gateway-error.js';
import { isObject, type JsonObject } from './json.js';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
type Role = (typeof ROLES)[number];

interface ToolCall {
  readonly id: string;
  readonly name: string;
}

/** One message; `text` joins the text parts of its content. */
export interface ChatMessage {
  readonly role: Role;
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallId: string | null;
}

/** Validates the messages: roles, contents, and that the tool messages directly after a tool call respond to it. */
export function readMessages(value: unknown): ChatMessage[] {
  if (value === undefined || value === null) {
    throw invalidRequest("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
  }
  if (!Array.isArray(value)) {
    throw invalidRequest("Invalid type for 'messages': expected an array of objects.", 'messages', 'invalid_type');
  }
  if (value.length === 0) {
    const text =
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    throw invalidRequest(text, 'messages', 'empty_array');
  }
  const messages = value.map(readMessage);
  checkToolResponses(messages);
  return messages;
}

function readMessage(value: unknown, index: number): ChatMessage {
  const path = `messages[${index}]`;
  if (!isObject(value)) throw invalidRequest(`Invalid type for '${path}': expected an object.`, path, 'invalid_type');
  const role = ROLES.find((supported) => supported === value['role']);
  if (role === undefined) {
    const text = `Invalid value: '${String(value['role'])}'. Supported values are: ${ROLES.map((name) => `'${name}'`).join(', ')}.`;
    throw invalidRequest(text, `${path}.role`, 'invalid_value');
  }
  const toolCalls = role === 'assistant' ? readToolCalls(value, path) : [];
  const toolCallId = value['tool_call_id'];
  if (role === 'tool' && typeof toolCallId !== 'string') {
    const param = `${path}.tool_call_id`;
    throw invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
  }
  return {
    role,
    text: readContent(value['content'], `${path}.content`, toolCalls.length > 0),
    toolCalls,
    toolCallId: typeof toolCallId === 'string' ? toolCallId : null,
  };
}

function readContent(content: unknown, path: string, mayBeAbsent: boolean): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((part: unknown) => partText(part)).join('');
  if (mayBeAbsent && (content === null || content === undefined)) return '';
  const text = `Invalid value for 'content': expected a string or an array of content parts.`;
  throw invalidRequest(text, path, 'invalid_type');
}

function partText(part: unknown): string {
  return isObject(part) && typeof part['text'] === 'string' ? part['text'] : '';
}

function readToolCalls(message: JsonObject, path: string): ToolCall[] {
  const calls = message['tool_calls'];
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) {
    throw invalidRequest(
      `Invalid type for '${path}.tool_calls': expected an array.`,
      `${path}.tool_calls`,
      'invalid_type',
    );
  }
  return calls.map((call: unknown, index) => {
    const id = isObject(call) ? call['id'] : undefined;
    const name = isObject(call) && isObject(call['function']) ? call['function']['name'] : undefined;
    if (typeof id !== 'string' || typeof name !== 'string') {
      const param = `${path}.tool_calls[${index}]`;
      throw invalidRequest(
        `Missing required parameter: '${param}.id' or '${param}.function.name'.`,
        param,
        'missing_required_parameter',
      );
    }
    return { id, name };
  });
}

function checkToolResponses(messages: readonly ChatMessage[]): void {
  let pending = new Set<string>();
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      if (pending.delete(message.toolCallId ?? '')) return;
      const text =
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      throw invalidRequest(text, `messages[${index}].role`);
    }
    rejectPendingCalls(pending, index);
    pending = new Set(message.toolCalls.map((call) => call.id));
  });
  rejectPendingCalls(pending, messages.length);
}

function rejectPendingCalls(pending: ReadonlySet<string>, index: number): void {
  if (pending.size === 0) return;
  const ids = [...pending].join(', ');
  const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`;
  throw invalidRequest(text, `messages[${index}].role`);
}
