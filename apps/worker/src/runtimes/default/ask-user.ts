import { isJsonObject, type JsonObject } from '@app/kernel';
import { jsonSchema, tool, type ToolSet } from 'ai';
import type { StoredToolCall } from '../../conversation/conversation.js';
import type { RuntimeTask } from '../runtime.js';

/** The tool with which an agent asks the user. */
const NAME = 'ask_user';

const inputSchema = jsonSchema({
  type: 'object',
  properties: { question: { type: 'string', description: 'The question, with everything the user has to know' } },
  required: ['question'],
});
const description =
  'Asks the user a question and returns the answer. Use it only if you cannot continue without the answer.';

/**
 * Returns the tool if `ask_user` of the agent's configuration is true. The worker cannot execute it: a call ends the
 * loop.
 */
export function askUserTool({ lease, mayAsk }: Pick<RuntimeTask, 'lease' | 'mayAsk'>): ToolSet {
  const isOffered = mayAsk && lease.agent.configuration['ask_user'] === true;
  return isOffered ? { [NAME]: tool({ description, inputSchema }) } : {};
}

/** Returns the questions of the calls without a result; null if there is none. */
export function questionIn(calls: readonly StoredToolCall[]): string | null {
  const questions = calls.filter(({ name }) => name === NAME).map(({ arguments: input }) => textOf(input));
  return questions.length === 0 ? null : questions.join('\n');
}

function textOf(input: unknown): string {
  const { question }: JsonObject = isJsonObject(input) ? input : {};
  return typeof question === 'string' ? question : JSON.stringify(input ?? null);
}
