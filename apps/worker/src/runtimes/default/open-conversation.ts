import type { JsonObject } from '@app/kernel';
import type { ModelMessage } from 'ai';
import {
  hasAnsweredCalls,
  openCallsIn,
  textOf,
  toModelMessages,
  toolCallsOf,
} from '../../conversation/model-messages.js';
import { toolExecutionId } from '../../events/tool-calls.js';
import type { RuntimeResult, RuntimeTask } from '../runtime.js';

export interface OpenConversation {
  /** The messages of the first request to the model. */
  readonly messages: ModelMessage[];
  /** The answer, if an earlier attempt stored it and was lost before it could report it. */
  readonly answer: Pick<RuntimeResult, 'response' | 'messageId'> | null;
}

/**
 * Begins the conversation of a run with its prompt, or continues the one that earlier attempts stored. Stores the
 * messages that users sent at the position where the model reads them.
 */
export function openConversation(task: Pick<RuntimeTask, 'lease' | 'conversation' | 'publish'>): OpenConversation {
  const { lease, conversation } = task;
  const { earlier } = conversation.history;
  const own = conversation.history.own.filter((message) => message['partial'] !== true);
  const hasBegun = own.some((message) => !isSent(message));
  const prompt = { role: 'user', content: lease.prompt };
  const sent = own.slice(own.findLastIndex((message) => !isSent(message)) + 1);
  const added = hasBegun ? sent : [prompt, ...sent];
  if (added.length > 0) conversation.append(added);
  if (sent.length > 0) publishAnswer(task, sent);
  const messages = toModelMessages([...earlier, ...(hasBegun ? own : added)]);
  return { messages, answer: hasBegun ? answerIn(own) : null };
}

/** Publishes the end of the tool calls with the questions; their start was published with the questions. */
function publishAnswer(
  { conversation, publish }: Pick<RuntimeTask, 'conversation' | 'publish'>,
  sent: readonly JsonObject[],
): void {
  for (const { id, message_id, name, arguments: input } of openCallsIn(conversation.history.own)) {
    const tool_execution_id = toolExecutionId(message_id, id);
    const call = { tool_name: name, tool_execution_id, message_id, tool_arguments: input };
    const answer = sent.map(textOf).join('\n');
    publish('tool_completed', { ...call, status: 'success', tool_output: answer, tool_error: null });
  }
}

/** Only messages that users sent to an execution contain the id of a user. */
function isSent(message: JsonObject): boolean {
  return Object.hasOwn(message, 'user_id');
}

function answerIn(own: readonly JsonObject[]): OpenConversation['answer'] {
  const last = own.findLast((message) => message['source'] !== 'member');
  if (last?.['role'] !== 'assistant' || toolCallsOf(last).length > 0) return null;
  const response = textOf(last);
  if (response.trim() === '' && !hasAnsweredCalls(own)) return null;
  return { response, messageId: String(last['message_id']) };
}
