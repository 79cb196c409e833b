import { isJsonObject, type JsonObject } from '@app/kernel';
import type { AssistantModelMessage, ModelMessage, ToolModelMessage, ToolResultPart } from 'ai';
import type { StoredToolCall } from './conversation.js';

/** Stands for the result of a call whose attempt was lost. */
const NO_RESULT = 'There is no result.';

/**
 * Converts stored messages for the model. Messages of members are left out, because their answers are results of tools.
 * A call without a result is a question to the user: the messages that users sent after it become its result.
 */
export function toModelMessages(stored: readonly JsonObject[]): ModelMessage[] {
  const messages = stored.filter((message) => message['source'] !== 'member');
  const converted: ModelMessage[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message === undefined || message['role'] === 'tool') continue;
    if (message['role'] !== 'assistant') {
      converted.push({ role: 'user', content: textOf(message) });
      continue;
    }
    const calls = toolCallsOf(message);
    converted.push(assistantMessage(textOf(message), calls));
    if (calls.length === 0) continue;
    const followers = until(messages.slice(index + 1), (next) => next['role'] === 'assistant');
    const { results, used } = resultsOf(calls, followers);
    converted.push(results);
    index += used;
  }
  return converted;
}

/**
 * Returns the calls of the last message of the agent that have no result, with the id of the message: its questions to
 * the user.
 */
export function openCallsIn(stored: readonly JsonObject[]): (StoredToolCall & { readonly message_id: string })[] {
  const messages = stored.filter((message) => message['source'] !== 'member');
  const last = messages.findLastIndex((message) => message['role'] === 'assistant');
  const answered = new Set(messages.slice(last + 1).map((message) => message['tool_call_id']));
  const asking = messages[last] ?? {};
  return toolCallsOf(asking)
    .filter(({ id }) => !answered.has(id))
    .map((call) => ({ ...call, message_id: String(asking['message_id']) }));
}

/** Returns whether a call of the agent has an answer: the result of a tool, or what a user replied to its question. */
export function hasAnsweredCalls(stored: readonly JsonObject[]): boolean {
  const messages = stored.filter((message) => message['source'] !== 'member');
  return messages.some((message, index) => {
    const next = messages[index + 1];
    return toolCallsOf(message).length > 0 && next !== undefined && next['role'] !== 'assistant';
  });
}

export function toolCallsOf({ tool_calls: calls }: JsonObject): StoredToolCall[] {
  return (Array.isArray(calls) ? calls : [])
    .filter(isJsonObject)
    .flatMap(({ id, name, arguments: input }) =>
      typeof id === 'string' && typeof name === 'string' ? [{ id, name, arguments: input }] : [],
    );
}

export function textOf({ content }: JsonObject): string {
  return typeof content === 'string' ? content : '';
}

function assistantMessage(text: string, calls: readonly StoredToolCall[]): AssistantModelMessage {
  if (calls.length === 0) return { role: 'assistant', content: text };
  return {
    role: 'assistant',
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ id, name, arguments: input }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: input ?? {},
      })),
    ],
  };
}

/** `followers`: the messages after the calls. `used`: how many of them became results. */
function resultsOf(
  calls: readonly StoredToolCall[],
  followers: readonly JsonObject[],
): { readonly results: ToolModelMessage; readonly used: number } {
  const byCall = new Map(
    followers.filter(({ role }) => role === 'tool').map((message) => [message['tool_call_id'], message]),
  );
  const isOpen = calls.some(({ id }) => !byCall.has(id));
  const said = followers.filter(({ role }) => role !== 'tool').map(textOf);
  const content = calls.map(({ id, name }): ToolResultPart => {
    const result = byCall.get(id);
    const type = result?.['status'] === 'failed' ? 'error-text' : 'text';
    const value = result === undefined ? said.join('\n') || NO_RESULT : textOf(result);
    return { type: 'tool-result', toolCallId: id, toolName: name, output: { type, value } };
  });
  const used = isOpen ? followers.length : until(followers, ({ role }) => role !== 'tool').length;
  return { results: { role: 'tool', content }, used };
}

function until<T>(items: readonly T[], isEnd: (item: T) => boolean): readonly T[] {
  const end = items.findIndex(isEnd);
  return end < 0 ? items : items.slice(0, end);
}
