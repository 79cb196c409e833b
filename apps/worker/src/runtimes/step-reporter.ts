import { newId, type JsonObject } from '@app/kernel';
import type { NewMessage, StoredToolCall } from '../conversation/conversation.js';
import { toolExecutionId } from '../events/tool-calls.js';
import type { RuntimeTask } from './runtime.js';

export interface ToolOutcome {
  readonly status: 'success' | 'failed';
  readonly tool_output: unknown;
  readonly tool_error: string | null;
}

/**
 * Publishes the messages and tool calls of an agent as events of the execution. A step is one message with its tool calls;
 * its messages are stored when it ends. Keeps the text and the id of the last message.
 */
export class StepReporter {
  text = '';
  messageId = newId();
  private readonly startedTools = new Map<string, { readonly name: string; readonly input: unknown }>();
  private calls: StoredToolCall[] = [];
  /** Whether the step has text or calls that are not stored. */
  private isOpen = false;
  private results: NewMessage[] = [];

  constructor(private readonly task: Pick<RuntimeTask, 'publish' | 'conversation'>) {}

  /** Calls of the last step that have no result. */
  get openCalls(): StoredToolCall[] {
    return this.calls.filter(({ id }) => this.startedTools.has(id));
  }

  startStep(): void {
    this.messageId = newId();
    this.text = '';
    this.calls = [];
    this.results = [];
    this.isOpen = true;
  }

  /**
   * Stores nothing if the step has neither text nor calls: some providers reject a conversation with an empty message.
   *
   * @param asks whether the text ends with a question to the user
   */
  storeStep(asks = false): void {
    this.isOpen = false;
    const { text: content, messageId: message_id, calls } = this;
    if (content.trim() === '' && calls.length === 0) return;
    const said = {
      role: 'assistant',
      content,
      message_id,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(asks ? { input_required: true as const } : {}),
    } as const;
    this.task.conversation.append([said, ...this.results]);
  }

  /** Stores the text of a step that was interrupted, marked as `partial`. A later attempt does not continue from it. */
  storePartial(): void {
    if (!this.isOpen || this.text.trim() === '') return;
    this.isOpen = false;
    const { text: content, messageId: message_id } = this;
    this.task.conversation.append([{ role: 'assistant', content, message_id, partial: true }]);
  }

  addText(content: string): void {
    if (content === '') return;
    this.text += content;
    this.task.publish('message_chunk', {
      role: 'assistant',
      content,
      is_chunk: true,
      message_id: this.messageId,
      phase: 'response',
      source: 'agent',
      member_name: null,
    });
  }

  startThinking(): void {
    this.task.publish('thinking_start', { message_id: this.messageId });
  }

  addThinking(content: string): void {
    this.task.publish('thinking_delta', { message_id: this.messageId, content });
  }

  endThinking(): void {
    this.task.publish('thinking_complete', { message_id: this.messageId });
  }

  startTool(id: string, name: string, input: unknown): void {
    const started = { name, input: input ?? null };
    this.startedTools.set(id, started);
    this.calls.push({ id, name, arguments: started.input });
    this.task.publish('tool_started', this.toolFields(id, started));
  }

  /** Ignores calls that were not started or have a result. */
  completeTool(id: string, outcome: ToolOutcome): void {
    const started = this.startedTools.get(id);
    if (started === undefined) return;
    this.startedTools.delete(id);
    const { status, tool_output: output, tool_error: error } = outcome;
    const content = error ?? (typeof output === 'string' ? output : JSON.stringify(output));
    this.results.push({ role: 'tool', content, tool_call_id: id, tool_name: started.name, status });
    this.task.publish('tool_completed', { ...this.toolFields(id, started), ...outcome });
  }

  private toolFields(id: string, { name, input }: { readonly name: string; readonly input: unknown }): JsonObject {
    const { messageId: message_id } = this;
    return { tool_name: name, tool_execution_id: toolExecutionId(message_id, id), message_id, tool_arguments: input };
  }
}
