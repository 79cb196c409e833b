import type { CallToolResult } from '@ai-sdk/mcp';
import { dynamicTool, type ToolSet } from 'ai';
import type { Logger } from '@app/observability';
import { withTimeout } from '../../deadline.js';
import type { Redactor } from '../../secrets.js';
import type { McpConnection } from './mcp-connections.js';

/** Characters of a tool's output that are kept, for the model and for the event. */
const MAX_OUTPUT_CHARACTERS = 64_000;

export interface ToolGuards {
  readonly timeoutMs: number;
  readonly redactor: Redactor;
  /** Notes each call by name and time: what went in and out is the events' affair. */
  readonly logger: Logger;
}

/**
 * The tools of all servers under names a model may use. A tool keeps its own name where it is the only one of that name,
 * otherwise all of that name get their server's in front.
 */
export function buildToolSet(connections: readonly McpConnection[], guards: ToolGuards): ToolSet {
  const owned = connections.flatMap(({ server, tools }) =>
    Object.entries(tools).map(([name, tool]) => ({ server, name, tool })),
  );
  const tools: ToolSet = {};
  for (const { server, name, tool } of owned) {
    const shared = owned.filter((other) => other.name === name).length > 1;
    const label = freeName(usableName(shared ? `${server}_${name}` : name), tools);
    tools[label] = dynamicTool({
      ...(tool.description === undefined ? {} : { description: tool.description }),
      inputSchema: tool.inputSchema,
      execute: (input, options) =>
        guardedCall(
          label,
          (signal) => tool.execute(input, { ...options, abortSignal: signal }),
          guards,
          options.abortSignal,
        ),
    });
  }
  return tools;
}

/** Calls a tool within its time, and turns its result into a text of bounded length without secrets. */
async function guardedCall(
  name: string,
  call: (signal: AbortSignal) => unknown,
  guards: ToolGuards,
  signal: AbortSignal | undefined,
): Promise<string> {
  const late = new AbortController();
  const begun = performance.now();
  let failure: unknown;
  const note = (status: string) =>
    guards.logger.info({ tool: name, status, duration_ms: Math.round(performance.now() - begun) }, 'tool called');
  try {
    const ended = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    const called = Promise.resolve(call(ended)) as Promise<CallToolResult>;
    const tooLate = `The tool ${name} took longer than ${guards.timeoutMs / 1000} seconds`;
    const output = succeeded(name, await withTimeout(called, guards.timeoutMs, tooLate));
    note('success');
    return presentable(output, guards.redactor);
  } catch (error) {
    failure = error;
  } finally {
    late.abort();
  }
  note('failed');
  // A new error without a cause: the cause may say what must not be shown.
  throw new Error(presentable(failure instanceof Error ? failure.message : String(failure), guards.redactor));
}

/** The text of a result; throws it where the server says that the call failed. */
function succeeded(name: string, result: CallToolResult): string {
  const output = outputText(result);
  if (result.isError === true) throw new Error(output === '' ? `The tool ${name} failed` : output);
  return output;
}

function presentable(text: string, redactor: Redactor): string {
  return bounded(redactor.text(text));
}

function outputText(result: CallToolResult): string {
  const content: unknown = 'content' in result ? result.content : undefined;
  if (Array.isArray(content) && content.length > 0) return content.map((part: unknown) => partText(part)).join('\n');
  return JSON.stringify('structuredContent' in result ? (result.structuredContent ?? null) : result);
}

function partText(part: unknown): string {
  if (typeof part !== 'object' || part === null) return String(part);
  if ('text' in part && typeof part.text === 'string') return part.text;
  if ('data' in part && 'type' in part)
    return `[${String(part.type)} ${'mimeType' in part ? String(part.mimeType) : ''}]`;
  return JSON.stringify(part);
}

function bounded(text: string): string {
  if (text.length <= MAX_OUTPUT_CHARACTERS) return text;
  return `${text.slice(0, MAX_OUTPUT_CHARACTERS)}\n[cut: ${text.length - MAX_OUTPUT_CHARACTERS} more characters]`;
}

/** Models take 1 to 64 of these characters. */
function usableName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'tool';
}

function freeName(name: string, taken: ToolSet): string {
  let free = name;
  for (let count = 2; free in taken; count += 1) free = `${name}_${count}`;
  return free;
}
