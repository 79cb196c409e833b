import { newId, isJsonObject, type JsonObject } from '@app/kernel';
import { generateText, type LanguageModel, type ModelMessage } from 'ai';
import { RuntimeFailure, type ReasoningOptions, type RuntimeTask } from '../runtime.js';
import { jsonResponse, systemPrompt } from './agent-settings.js';
import { describeModelFailure } from '../../model/model-failure.js';
import type { UsageMeter } from '../../model/usage-meter.js';

const STEP_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    thought: { type: 'string', description: 'The next thought' },
    next: {
      type: 'string',
      enum: ['continue', 'answer'],
      description: 'Whether to think further or to begin the work',
    },
  },
  required: ['thought', 'next'],
  additionalProperties: false,
};

/**
 * Lets the model think about the request before it begins to work on it: at least `minSteps` and at most `maxSteps`
 * requests. Publishes each thought and returns all of them.
 */
export async function reason(
  task: RuntimeTask,
  model: LanguageModel,
  { systemPrompt: own, minSteps, maxSteps }: ReasoningOptions,
  messages: readonly ModelMessage[],
  usage: UsageMeter,
): Promise<string[]> {
  const thoughts: string[] = [];
  const system = own ?? systemPrompt(task.lease);
  for (let step = 1; step <= maxSteps; step += 1) {
    await task.waitWhilePaused();
    const messageId = newId();
    task.publish('thinking_start', { message_id: messageId, step });
    usage.countRequest();
    const asked: ModelMessage = { role: 'user', content: instruction(task.lease.prompt, thoughts) };
    const request = { model, ...(system === undefined ? {} : { system }), messages: [...messages, asked] };
    const { thought, isLast } = await generateText({
      ...request,
      providerOptions: jsonResponse(STEP_SCHEMA),
      maxRetries: 0,
      abortSignal: task.signal,
    }).then(
      (response) => {
        usage.countTokens(response.usage);
        return readStep(response.text);
      },
      (error: unknown) => {
        throw new RuntimeFailure(
          task.signal.aborted ? 'The run was aborted' : describeModelFailure(error),
          usage.read(),
        );
      },
    );
    task.publish('thinking_delta', { message_id: messageId, content: thought });
    task.publish('thinking_complete', { message_id: messageId, step });
    thoughts.push(thought);
    if (isLast && step >= minSteps) break;
  }
  return thoughts;
}

function instruction(prompt: string, thoughts: readonly string[]): string {
  const so = thoughts.length === 0 ? [] : [`Thoughts so far:\n${thoughts.map((thought) => `- ${thought}`).join('\n')}`];
  return ['Think one step ahead about this request, without working on it yet.', ...so, prompt].join('\n\n');
}

/** Text that is not JSON is a thought as well, and does not end the thinking. */
function readStep(text: string): { readonly thought: string; readonly isLast: boolean } {
  try {
    const step: unknown = JSON.parse(text);
    if (isJsonObject(step) && typeof step['thought'] === 'string') {
      return { thought: step['thought'], isLast: step['next'] === 'answer' };
    }
  } catch {
    // Not JSON.
  }
  return { thought: text, isLast: false };
}
