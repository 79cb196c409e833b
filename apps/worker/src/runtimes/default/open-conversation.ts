import type { JsonObject } from '@app/kernel';
import type { ModelMessage } from 'ai';
import { textOf, toModelMessages, toolCallsOf } from '../../conversation/model-messages.js';
import type { RuntimeResult, RuntimeTask } from '../runtime.js';

export interface OpenConversation {
  /** For the first request to the model. */
  readonly messages: ModelMessage[];
  /** The answer, if an earlier attempt stored it and was lost before it could report it. */
  readonly answer: Pick<RuntimeResult, 'response' | 'messageId'> | null;
}

/**
 * Begins the conversation of a run with its prompt, or continues the one that earlier attempts stored. Stores what users
 * sent into it where the model reads it.
 */
export function openConversation({
  lease,
  conversation,
}: Pick<RuntimeTask, 'lease' | 'conversation'>): OpenConversation {
  const { earlier, own } = conversation.history;
  const hasBegun = own.some((message) => !isSent(message));
  const prompt = { role: 'user', content: lease.prompt };
  const sent = own.slice(own.findLastIndex((message) => !isSent(message)) + 1);
  const added = hasBegun ? sent : [prompt, ...sent];
  if (added.length > 0) conversation.append(added);
  const messages = toModelMessages([...earlier, ...(hasBegun ? own : added)]);
  return { messages, answer: hasBegun ? answerIn(own) : null };
}

/** Messages that users sent into an execution name them. */
function isSent(message: JsonObject): boolean {
  return Object.hasOwn(message, 'user_id');
}

function answerIn(own: readonly JsonObject[]): OpenConversation['answer'] {
  const last = own.findLast((message) => message['source'] !== 'member');
  if (last?.['role'] !== 'assistant' || toolCallsOf(last).length > 0) return null;
  return { response: textOf(last), messageId: String(last['message_id']) };
}
