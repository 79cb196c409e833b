import { newId } from '@app/kernel';
import type { TextStreamPart, ToolSet } from 'ai';
import type { RuntimeTask } from '../runtime.js';
import { describeModelFailure } from './model-failure.js';
import type { UsageMeter } from './usage-meter.js';

type Part = TextStreamPart<ToolSet>;

/** Turns the parts of the model's stream into the execution's events, and keeps what the last step said. */
export class StreamReporter {
  /** Why the stream ended early, in words; `null` while all is well. */
  failure: string | null = null;
  /** Whether the last step ended with an answer rather than with tool calls. */
  answered = false;
  text = '';
  messageId = newId();
  private readonly startedTools = new Map<string, { readonly name: string; readonly input: unknown }>();

  constructor(
    private readonly publish: RuntimeTask['publish'],
    private readonly usage: UsageMeter,
  ) {}

  take(part: Part): void {
    switch (part.type) {
      case 'start-step':
        return this.startStep();
      case 'text-delta':
        return this.chunk(part.text);
      case 'reasoning-start':
        return this.publish('thinking_start', { message_id: this.messageId });
      case 'reasoning-delta':
        return this.publish('thinking_delta', { message_id: this.messageId, content: part.text });
      case 'reasoning-end':
        return this.publish('thinking_complete', { message_id: this.messageId });
      case 'tool-call':
        return this.toolStarted(part.toolCallId, part.toolName, part.input);
      case 'tool-result':
        return this.toolCompleted(part.toolCallId, {
          status: 'success',
          tool_output: part.output ?? null,
          tool_error: null,
        });
      case 'tool-error':
        return this.toolCompleted(part.toolCallId, {
          status: 'failed',
          tool_output: null,
          tool_error: errorText(part.error),
        });
      case 'finish-step':
        this.answered = part.finishReason !== 'tool-calls';
        return this.usage.countTokens(part.usage);
      case 'error':
        this.failure ??= describeModelFailure(part.error);
        return;
      default:
    }
  }

  private startStep(): void {
    this.usage.countRequest();
    this.messageId = newId();
    this.text = '';
    this.answered = false;
  }

  private chunk(content: string): void {
    if (content === '') return;
    this.text += content;
    this.publish('message_chunk', {
      role: 'assistant',
      content,
      is_chunk: true,
      message_id: this.messageId,
      phase: 'response',
      source: 'agent',
      member_name: null,
    });
  }

  private toolStarted(id: string, name: string, input: unknown): void {
    const started = { name, input: input ?? null };
    this.startedTools.set(id, started);
    this.usage.countToolCall();
    this.publish('tool_started', this.toolFields(id, started));
  }

  private toolCompleted(
    id: string,
    outcome: { status: 'success' | 'failed'; tool_output: unknown; tool_error: string | null },
  ): void {
    const started = this.startedTools.get(id);
    if (started === undefined) return;
    this.startedTools.delete(id);
    this.publish('tool_completed', { ...this.toolFields(id, started), ...outcome });
  }

  private toolFields(id: string, { name, input }: { readonly name: string; readonly input: unknown }) {
    return { tool_name: name, tool_execution_id: id, message_id: this.messageId, tool_arguments: input };
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
