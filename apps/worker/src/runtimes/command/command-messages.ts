import { headOf, isJsonObject, type JsonObject } from '@app/kernel';
import { GEN_AI } from '@app/observability';
import { context } from '@opentelemetry/api';
import { toolSpan } from '../../tracing/agent-span.js';
import type { RunSpan } from '../../tracing/run-spans.js';
import { objectIn, readObjects, textIn } from '../../json-fields.js';
import type { Redactor } from '../../redaction/secrets.js';
import { redactAndTruncate } from '../default/tool-set.js';
import type { RuntimeTask, RuntimeUsage } from '../runtime.js';
import { StepReporter } from '../step-reporter.js';

/** Longer ids and names are cut. */
const MAX_NAME_LENGTH = 255;

interface Tokens {
  readonly prompt: number;
  readonly completion: number;
}

export interface CommandResult {
  readonly isError: boolean;
  readonly response: string;
}

/**
 * Turns the messages of a coding agent's command line into events. The objects have a `type`: `assistant` and `user`
 * contain a `message` whose `content` is a list of `text`, `thinking`, `tool_use` and `tool_result` blocks, `result`
 * ends the run. Several objects may contain the blocks of one message, each with the usage so far. Other types are
 * ignored.
 */
export class CommandMessages {
  /** Null until the command has reported its result. */
  result: CommandResult | null = null;
  private readonly steps: StepReporter;
  /** Id of the message whose step is open. */
  private openMessage: string | null = null;
  private readonly tokensByMessage = new Map<string, Tokens>();
  private resultTokens: Tokens | null = null;
  private reportedModel = '';
  private requests = 0;
  private toolCalls = 0;
  /** The output arrives in event handlers, where no span is active. */
  private readonly parent = context.active();
  /** The spans of tool calls, by id. */
  private readonly openTools = new Map<string, RunSpan>();

  constructor(
    private readonly task: Pick<RuntimeTask, 'publish' | 'conversation' | 'spans'>,
    private readonly redactor: Redactor,
  ) {
    this.steps = new StepReporter(task);
  }

  get messageId(): string {
    return this.steps.messageId;
  }

  /**
   * The totals of the result; until it is reported, those of the messages. `model` replaces the one that the command
   * reports.
   */
  usage(model: string | null): RuntimeUsage {
    const all = [...this.tokensByMessage.values()];
    const counted = this.resultTokens ?? {
      prompt: all.reduce((sum, { prompt }) => sum + prompt, 0),
      completion: all.reduce((sum, { completion }) => sum + completion, 0),
    };
    return {
      prompt_tokens: counted.prompt,
      completion_tokens: counted.completion,
      total_tokens: counted.prompt + counted.completion,
      model: model ?? this.reportedModel,
      requests: this.requests,
      tool_calls: this.toolCalls,
    };
  }

  take(line: JsonObject): void {
    const message = objectIn(line, 'message');
    if (line['type'] === 'system') this.reportedModel = nameIn(line, 'model') || this.reportedModel;
    if (line['type'] === 'assistant') this.takeAssistant(message);
    if (line['type'] === 'user') this.takeResults(blocksOf(message));
    if (line['type'] === 'result') this.takeResult(line);
  }

  /** Stores the step that is open. */
  end(): void {
    if (this.openMessage !== null) this.steps.storeStep();
    this.openMessage = null;
  }

  private takeAssistant(message: JsonObject): void {
    const id = nameIn(message, 'id') || `message ${this.requests + 1}`;
    if (id !== this.openMessage) {
      this.end();
      this.steps.startStep();
      this.requests += 1;
      this.openMessage = id;
    }
    this.reportedModel = nameIn(message, 'model') || this.reportedModel;
    const tokens = tokensIn(message);
    if (tokens !== null) this.tokensByMessage.set(id, tokens);
    for (const block of blocksOf(message)) this.takeBlock(block);
  }

  private takeBlock(block: JsonObject): void {
    if (block['type'] === 'text') this.steps.addText(textIn(block, 'text') ?? '');
    if (block['type'] === 'thinking') {
      this.steps.startThinking();
      this.steps.addThinking(textIn(block, 'thinking') ?? '');
      this.steps.endThinking();
    }
    const [id, name] = [nameIn(block, 'id'), nameIn(block, 'name')];
    if (block['type'] !== 'tool_use' || id === '' || name === '') return;
    this.toolCalls += 1;
    this.steps.startTool(id, name, block['input']);
    const span = this.task.spans.start(toolSpan({ id, name }), this.parent);
    span.setContent(GEN_AI.toolArguments, () => JSON.stringify(block['input']));
    this.openTools.set(id, span);
  }

  private takeResults(blocks: readonly JsonObject[]): void {
    for (const block of blocks.filter(({ type }) => type === 'tool_result')) {
      const span = this.openTools.get(nameIn(block, 'tool_use_id'));
      const output = redactAndTruncate(contentText(block['content']), this.redactor);
      this.steps.completeTool(
        nameIn(block, 'tool_use_id'),
        block['is_error'] === true
          ? { status: 'failed', tool_output: null, tool_error: output }
          : { status: 'success', tool_output: output, tool_error: null },
      );
      span?.setContent(GEN_AI.toolResult, () => output);
      if (block['is_error'] === true) span?.fail('it reported an error', 'tool_error');
      span?.end();
    }
  }

  private takeResult(line: JsonObject): void {
    this.end();
    const { is_error: isError, result, subtype } = line;
    this.resultTokens = tokensIn(line);
    this.result = {
      isError: isError === true || (typeof subtype === 'string' && subtype !== 'success'),
      response: typeof result === 'string' ? result : this.steps.text,
    };
  }
}

function blocksOf({ content }: JsonObject): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return readObjects(content);
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content ?? null);
  return readObjects(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : `[${nameIn(part, 'type')}]`))
    .join('\n');
}

/** Reads a `usage`. `input_tokens` does not include the prompt tokens that a cache served. */
function tokensIn(owner: JsonObject): Tokens | null {
  const usage = owner['usage'];
  if (!isJsonObject(usage)) return null;
  const cached = count(usage['cache_creation_input_tokens']) + count(usage['cache_read_input_tokens']);
  return { prompt: count(usage['input_tokens']) + cached, completion: count(usage['output_tokens']) };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, 1e12) : 0;
}

function nameIn(owner: JsonObject, field: string): string {
  return headOf(textIn(owner, field) ?? '', MAX_NAME_LENGTH);
}
