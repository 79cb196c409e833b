import { createHash } from 'node:crypto';
import type { ChatRequest } from './chat-request.js';
import { OWNER } from './models.js';
import type { Reply } from './reply.js';
import { countTokens } from './tokens.js';

/** Tokens per message in addition to its text, as OpenAI counts them. */
const TOKENS_PER_MESSAGE = 4;

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** The response of one request, as a whole completion or as the chunks of a stream. Equal requests have equal ids. */
export class Completion {
  readonly id: string;
  readonly usage: Usage;
  private readonly toolCalls: { id: string; type: 'function'; function: { name: string; arguments: string } }[];

  constructor(
    private readonly request: ChatRequest,
    private readonly reply: Reply,
    /** Unix time in seconds. */
    private readonly created: number,
  ) {
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    this.id = `chatcmpl-dev-${digest.slice(0, 24)}`;
    this.toolCalls = reply.calls.map((call, index) => ({
      id: `call_${digest.slice(0, 16)}_${index}`,
      type: 'function',
      function: { name: call.name, arguments: argumentsText(call.arguments, reply) },
    }));
    this.usage = this.countUsage();
  }

  whole() {
    const message = {
      role: 'assistant',
      content: this.toolCalls.length > 0 ? null : this.reply.content.join(''),
      refusal: null,
      ...(this.reply.thinking.length > 0 ? { reasoning_content: this.reply.thinking.join('') } : {}),
      ...(this.toolCalls.length > 0 ? { tool_calls: this.toolCalls } : {}),
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: this.reply.finishReason };
    return { ...this.envelope('chat.completion'), choices: [choice], usage: this.usage };
  }

  /** Yields every chunk before the finish: the role, then reasoning and content or tool calls, token by token. */
  *deltas(): Generator<object> {
    yield this.chunk({ role: 'assistant', content: this.toolCalls.length > 0 ? null : '' });
    for (const token of this.reply.thinking) yield this.chunk({ reasoning_content: token });
    for (const token of this.reply.content) yield this.chunk({ content: token });
    for (const [index, call] of this.toolCalls.entries()) {
      const { name, arguments: json } = call.function;
      yield this.chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] });
      for (const part of json.match(/[\s\S]{1,16}/gu) ?? []) {
        yield this.chunk({ tool_calls: [{ index, function: { arguments: part } }] });
      }
    }
  }

  finish(): object {
    return this.chunk({}, this.reply.finishReason);
  }

  usageChunk(): object {
    return { ...this.envelope('chat.completion.chunk'), choices: [], usage: this.usage };
  }

  private chunk(delta: object, finishReason: string | null = null): object {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finishReason };
    return {
      ...this.envelope('chat.completion.chunk'),
      choices: [choice],
      ...(this.request.includeUsage ? { usage: null } : {}),
    };
  }

  private envelope(object: string) {
    return { id: this.id, object, created: this.created, model: this.request.model.id, system_fingerprint: OWNER };
  }

  private countUsage(): Usage {
    const messages = this.request.messages.reduce((sum, { text }) => sum + countTokens(text) + TOKENS_PER_MESSAGE, 0);
    const tools = this.request.tools.length === 0 ? 0 : countTokens(JSON.stringify(this.request.tools));
    const calls = this.toolCalls.reduce(
      (sum, call) => sum + countTokens(call.function.name + call.function.arguments),
      0,
    );
    const completion = this.reply.thinking.length + this.reply.content.length + calls;
    return {
      prompt_tokens: messages + tools,
      completion_tokens: completion,
      total_tokens: messages + tools + completion,
    };
  }
}

/** Returns invalid JSON for `garble`, by removing the last character. */
function argumentsText(values: object, { directives: { garble } }: Reply): string {
  const json = JSON.stringify(values);
  return garble ? json.slice(0, -1) : json;
}
