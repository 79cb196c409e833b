import type { TextStreamPart, ToolSet } from 'ai';
import { messageOf } from '../../errors/error-text.js';
import type { RuntimeTask } from '../runtime.js';
import { StepReporter } from '../step-reporter.js';
import { questionIn } from './ask-user.js';
import { describeModelFailure } from '../../model/model-failure.js';
import type { UsageMeter } from '../../model/usage-meter.js';

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
  private readonly steps: StepReporter;
  /** Parts of other types are ignored. */
  private readonly handlers: { readonly [T in Part['type']]?: (part: Extract<Part, { type: T }>) => void } = {
    'start-step': () => this.startStep(),
    'text-delta': ({ text }) => this.steps.addText(text),
    'reasoning-start': () => this.steps.startThinking(),
    'reasoning-delta': ({ text }) => this.steps.addThinking(text),
    'reasoning-end': () => this.steps.endThinking(),
    'tool-call': ({ toolCallId, toolName, input }) => {
      this.usage.countToolCall();
      this.steps.startTool(toolCallId, toolName, input);
    },
    'tool-result': ({ toolCallId, output }) =>
      this.steps.completeTool(toolCallId, { status: 'success', tool_output: output ?? null, tool_error: null }),
    'tool-error': ({ toolCallId, error }) =>
      this.steps.completeTool(toolCallId, { status: 'failed', tool_output: null, tool_error: messageOf(error) }),
    'finish-step': ({ finishReason, usage }) => {
      this.isFinalStep = finishReason !== 'tool-calls';
      this.usage.countTokens(usage);
      this.steps.storeStep(this.addQuestion());
    },
    error: ({ error }) => {
      this.failure ??= describeModelFailure(error);
    },
  };

  constructor(
    task: Pick<RuntimeTask, 'publish' | 'conversation'>,
    private readonly usage: UsageMeter,
  ) {
    this.steps = new StepReporter(task);
  }

  get text(): string {
    return this.steps.text;
  }

  get messageId(): string {
    return this.steps.messageId;
  }

  /** The text of the last step if it asks the user, otherwise null. */
  get question(): string | null {
    return questionIn(this.steps.openCalls) === null ? null : this.text;
  }

  /** Stores what the model said in a step that did not end. */
  storePartial(): void {
    this.steps.storePartial();
  }

  handle(part: Part): void {
    const handler = this.handlers[part.type] as ((part: Part) => void) | undefined;
    handler?.(part);
  }

  /**
   * Appends the question of a step to its text, so that it is in the stored message and its preview: who opens the
   * stream later receives only the stored message. Returns whether there is one.
   */
  private addQuestion(): boolean {
    const question = questionIn(this.steps.openCalls);
    if (question === null) return false;
    this.steps.addText(this.text.trim() === '' ? question : `\n\n${question}`);
    return true;
  }

  private startStep(): void {
    this.usage.countRequest();
    this.steps.startStep();
    this.isFinalStep = false;
  }
}
