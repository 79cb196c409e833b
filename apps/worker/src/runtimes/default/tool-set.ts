import { headOf } from '@app/kernel';
import type { CallToolResult } from '@ai-sdk/mcp';
import { dynamicTool, type ToolSet } from 'ai';
import { GEN_AI, type Logger } from '@app/observability';
import { context } from '@opentelemetry/api';
import { messageOf } from '../../errors/error-text.js';
import { withTimeout } from '../../deadline.js';
import { toolSpan } from '../../tracing/agent-span.js';
import type { RunSpans } from '../../tracing/run-spans.js';
import type { Redactor } from '../../redaction/secrets.js';
import type { McpConnection } from './mcp/mcp-connections.js';
import { describeMcpFailure } from './mcp/mcp-failure.js';

/** Longer tool output is truncated, for the model and in the event. */
const MAX_OUTPUT_LENGTH = 64_000;

export interface ToolGuards {
  readonly timeoutMs: number;
  readonly redactor: Redactor;
  /** Logs the name and duration of each call; arguments and output are published as events only. */
  readonly logger: Logger;
  readonly spans: RunSpans;
}

/** One call of a tool. */
export interface GuardedCall {
  /** Id that the model gave the call; absent if no model made it. */
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
  readonly call: (signal: AbortSignal) => unknown;
}

/**
 * The failure of a tool call. The message contains what the tool or its server sent: it is for the model and the events
 * of the call. `reason` contains no such text, so it may become part of an `error_message`.
 */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';

  constructor(
    message: string,
    readonly reason: string,
  ) {
    super(message);
  }
}

/**
 * Returns the tools of all servers under unique names that model APIs accept. Tools of several servers with the same
 * name get their server's name as prefix; tools whose name is in `reserved` get a number as suffix.
 */
export function buildToolSet(
  connections: readonly McpConnection[],
  guards: ToolGuards,
  reserved: ToolSet = {},
): ToolSet {
  const serverTools = connections.flatMap(({ server, tools }) =>
    Object.entries(tools).map(([name, tool]) => ({ server, name, tool })),
  );
  const tools: ToolSet = {};
  for (const { server, name, tool } of serverTools) {
    const isAmbiguous = serverTools.filter((other) => other.name === name).length > 1;
    const label = uniqueName(sanitizeName(isAmbiguous ? `${server}_${name}` : name), { ...reserved, ...tools });
    tools[label] = dynamicTool({
      ...(tool.description === undefined ? {} : { description: tool.description }),
      inputSchema: tool.inputSchema,
      execute: (input, options) =>
        guardedCall(
          {
            ...{ id: options.toolCallId, name: label, input },
            call: (signal) => tool.execute(input, { ...options, abortSignal: signal }),
          },
          guards,
          options.abortSignal,
        ),
    });
  }
  return tools;
}

/**
 * Calls a tool in a span and under the time limit. Returns its output as text, redacted and truncated. Throws only
 * ToolFailure.
 */
export async function guardedCall(
  tool: GuardedCall,
  guards: ToolGuards,
  signal: AbortSignal | undefined,
): Promise<string> {
  const span = guards.spans.start(toolSpan(tool));
  span.setContent(GEN_AI.toolArguments, () => JSON.stringify(tool.input));
  try {
    const output = await context.with(span.context, () => callTool(tool, guards, signal));
    span.setContent(GEN_AI.toolResult, () => output);
    span.end();
    return output;
  } catch (error) {
    // The message contains what the tool or its server sent.
    span.fail(error instanceof ToolFailure ? error.reason : 'it failed', 'tool_error');
    throw error;
  }
}

async function callTool(
  { name, call }: GuardedCall,
  guards: ToolGuards,
  signal: AbortSignal | undefined,
): Promise<string> {
  const timeout = new AbortController();
  const startedAt = performance.now();
  let failure: unknown;
  const logCall = (status: string) =>
    guards.logger.info({ tool: name, status, duration_ms: Math.round(performance.now() - startedAt) }, 'tool called');
  try {
    const callSignal = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]);
    const result = Promise.resolve(call(callSignal)) as Promise<CallToolResult>;
    const tooLong = `took longer than ${guards.timeoutMs / 1000} s`;
    const late = () => new ToolFailure(`The tool ${name} ${tooLong}`, `it ${tooLong}`);
    const output = outputOrThrow(name, await withTimeout(result, guards.timeoutMs, late));
    logCall('success');
    return redactAndTruncate(output, guards.redactor);
  } catch (error) {
    failure = error;
  } finally {
    timeout.abort();
  }
  logCall('failed');
  // A new error without a cause, because the cause may contain secrets.
  const reason = failure instanceof ToolFailure ? failure.reason : describeMcpFailure(failure);
  throw new ToolFailure(redactAndTruncate(messageOf(failure), guards.redactor), reason);
}

/** Returns the text of a result. Throws a failure with that text if the server reports that the call failed. */
function outputOrThrow(name: string, result: CallToolResult): string {
  const output = outputText(result);
  if (result.isError === true) {
    throw new ToolFailure(output === '' ? `The tool ${name} failed` : output, 'it reported an error');
  }
  return output;
}

export function redactAndTruncate(text: string, redactor: Redactor): string {
  return truncate(redactor.redactText(text));
}

function outputText(result: CallToolResult): string {
  const content: unknown = 'content' in result ? result.content : undefined;
  if (Array.isArray(content) && content.length > 0) return content.map((part: unknown) => partText(part)).join('\n');
  return JSON.stringify('structuredContent' in result ? (result.structuredContent ?? null) : result);
}

function partText(part: unknown): string {
  if (typeof part !== 'object' || part === null) return String(part);
  if ('text' in part && typeof part.text === 'string') return part.text;
  if ('data' in part && 'type' in part && typeof part.type === 'string')
    return `[${part.type} ${'mimeType' in part && typeof part.mimeType === 'string' ? part.mimeType : ''}]`;
  return JSON.stringify(part);
}

function truncate(text: string): string {
  if (text.length <= MAX_OUTPUT_LENGTH) return text;
  const head = headOf(text, MAX_OUTPUT_LENGTH);
  return `${head}\n[cut: ${text.length - head.length} more characters]`;
}

/** Model APIs accept 1 to 64 of these characters; the remaining characters are for the suffix of `uniqueName`. */
function sanitizeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'tool';
}

function uniqueName(name: string, existing: ToolSet): string {
  let unique = name;
  for (let count = 2; unique in existing; count += 1) unique = `${name}_${count}`;
  return unique;
}
