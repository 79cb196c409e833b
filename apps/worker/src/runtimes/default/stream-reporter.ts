import { newId, type JsonObject } from '@app/kernel';
import type { TextStreamPart, ToolSet } from 'ai';
import type { NewMessage, StoredToolCall } from '../../conversation/conversation.js';
import type { RuntimeTask } from '../runtime.js';
import { describeModelFailure } from './model-failure.js';
import type { UsageMeter } from './usage-meter.js';

type Part = TextStreamPart<ToolSet>;

/**
 * Publishes the parts of the model's stream as events of the execution, stores each step that ends, and keeps the text of the
 * last one.
 */
export class StreamReporter {
  /** Describes the first error of the stream; `null` without one. */
  failure: string | null = null;
  /** Whether the last step ended without tool calls, so that its text is the response. */
  isFinalStep = false;
  text = '';
  messageId = newId();
  /** Parts of other types are ignored. */
  private readonly handlers: { readonly [T in Part['type']]?: (part: Extract<Part, { type: T }>) => void } = {
    'start-step': () => this.startStep(),
    'text-delta': ({ text }) => this.publishChunk(text),
    'reasoning-start': () => this.publish('thinking_start', { message_id: this.messageId }),
    'reasoning-delta': ({ text }) => this.publish('thinking_delta', { message_id: this.messageId, content: text }),
    'reasoning-end': () => this.publish('thinking_complete', { message_id: this.messageId }),
    'tool-call': ({ toolCallId, toolName, input }) => this.publishToolStarted(toolCallId, toolName, input),
    'tool-result': ({ toolCallId, output }) =>
      this.publishToolCompleted(toolCallId, { status: 'success', tool_output: output ?? null, tool_error: null }),
    'tool-error': ({ toolCallId, error }) =>
      this.publishToolCompleted(toolCallId, { status: 'failed', tool_output: null, tool_error: errorText(error) }),
    'finish-step': ({ finishReason, usage }) => {
      this.isFinalStep = finishReason !== 'tool-calls';
      this.usage.countTokens(usage);
      this.storeStep();
    },
    error: ({ error }) => {
      this.failure ??= describeModelFailure(error);
    },
  };
  private readonly startedTools = new Map<string, { readonly name: string; readonly input: unknown }>();

  private calls: StoredToolCall[] = [];
  private results: NewMessage[] = [];

  constructor(
    private readonly task: Pick<RuntimeTask, 'publish' | 'conversation'>,
    private readonly usage: UsageMeter,
  ) {}

  /** Calls of the last step that have no result. */
  get openCalls(): StoredToolCall[] {
    return this.calls.filter(({ id }) => this.startedTools.has(id));
  }

  handle(part: Part): void {
    const handler = this.handlers[part.type] as ((part: Part) => void) | undefined;
    handler?.(part);
  }

  private startStep(): void {
    this.usage.countRequest();
    this.messageId = newId();
    this.text = '';
    this.calls = [];
    this.results = [];
    this.isFinalStep = false;
  }

  private storeStep(): void {
    const { text: content, messageId: message_id, calls } = this;
    const said = {
      role: 'assistant',
      content,
      message_id,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    } as const;
    this.task.conversation.append([said, ...this.results]);
  }

  private publish(type: string, data: JsonObject): void {
    this.task.publish(type, data);
  }

  private publishChunk(content: string): void {
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

  private publishToolStarted(id: string, name: string, input: unknown): void {
    const started = { name, input: input ?? null };
    this.startedTools.set(id, started);
    this.calls.push({ id, name, arguments: started.input });
    this.usage.countToolCall();
    this.publish('tool_started', this.toolFields(id, started));
  }

  private publishToolCompleted(
    id: string,
    outcome: { status: 'success' | 'failed'; tool_output: unknown; tool_error: string | null },
  ): void {
    const started = this.startedTools.get(id);
    if (started === undefined) return;
    this.startedTools.delete(id);
    const { status, tool_output: output, tool_error: error } = outcome;
    const content = error ?? (typeof output === 'string' ? output : JSON.stringify(output));
    this.results.push({ role: 'tool', content, tool_call_id: id, tool_name: started.name, status });
    this.publish('tool_completed', { ...this.toolFields(id, started), ...outcome });
  }

  private toolFields(id: string, { name, input }: { readonly name: string; readonly input: unknown }) {
    return { tool_name: name, tool_execution_id: id, message_id: this.messageId, tool_arguments: input };
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
