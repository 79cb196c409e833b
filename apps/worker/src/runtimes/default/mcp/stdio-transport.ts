import { inheritedVariables } from '@app/config';
import { parseExactJson } from '@app/kernel';
import { traceHeaders } from '../../../tracing/trace-headers.js';
import { validateJSONRPCMessage, type JSONRPCMessage, type MCPTransport } from '@ai-sdk/mcp';
import { LineReader, OutputFault } from '../../../workspace/line-reader.js';
import { ProcessGroup, type ProcessCommand } from '../../../workspace/process-group.js';

/** Maximum size of one message; larger than any tool output that is passed to the model. */
const MAX_MESSAGE_BYTES = 16 * 1_048_576;
/** How long a server may take to end before it is killed. */
const END_GRACE_MS = 500;
/** Variables of the worker that server programs need, for example to find their command and its cache. */
const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

/**
 * Connects to an MCP server that runs as a process and exchanges one message per line with it. The process runs in a
 * group of its own, so that all processes that it started end with it. A message that is too long ends the process and
 * fails the pending requests with this reason.
 */
export class StdioTransport implements MCPTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly command: ProcessCommand;
  private readonly stopping = new AbortController();
  private readonly lines = new LineReader(MAX_MESSAGE_BYTES, (line) => this.takeLine(line));
  private readonly open = new Set<string | number>();
  private group: ProcessGroup | null = null;

  constructor(command: Omit<ProcessCommand, 'input'>) {
    this.command = { ...command, env: { ...inheritedVariables(INHERITED), ...command.env }, input: null };
  }

  /** Rejects with the system error if the process cannot be started. */
  async start(): Promise<void> {
    const onStdout = (chunk: Buffer): void => this.read(chunk);
    const group = new ProcessGroup(this.command, { onStdout, onStderr: () => undefined }, this.stopping.signal);
    this.group = group;
    const ended = group.ended.then(
      () => this.onclose?.(),
      (error: unknown) => {
        this.onerror?.(error as Error);
        throw error;
      },
    );
    await Promise.race([group.started, ended]);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message) this.open.add(message.id);
    await this.group?.write(`${JSON.stringify(traced(message))}\n`);
  }

  /** Resolves when the server and everything that it started has ended. */
  async close(): Promise<void> {
    const { group } = this;
    if (group === null) return;
    group.terminate();
    const timer = setTimeout(() => this.stopping.abort(), END_GRACE_MS);
    await group.ended.catch(() => undefined);
    clearTimeout(timer);
  }

  private read(chunk: Buffer): void {
    if (this.stopping.signal.aborted) return;
    try {
      this.lines.add(chunk);
    } catch (error) {
      const message = error instanceof OutputFault ? `The server ${error.message}` : 'The server cannot be read';
      const open = [...this.open];
      this.stopping.abort();
      for (const id of open) this.receive({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
    }
  }

  /** Reports a line that is no message as an error and continues: servers may print log lines. */
  private takeLine(line: string): void {
    if (line === '') return;
    try {
      this.receive(validateJSONRPCMessage(parseExactJson(line)));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  private receive(message: JSONRPCMessage): void {
    if ('id' in message && !('method' in message)) this.open.delete(message.id);
    this.onmessage?.(message);
  }
}

/** Adds the active span to a request with parameters, where the Model Context Protocol puts it: in `_meta`. */
function traced(message: JSONRPCMessage): JSONRPCMessage {
  const headers = traceHeaders();
  if (!('method' in message) || !('id' in message) || headers.traceparent === undefined) return message;
  if (message.params === undefined) return message;
  const { _meta: meta, ...params } = message.params;
  return { ...message, params: { ...params, _meta: { ...meta, ...headers } } };
}
