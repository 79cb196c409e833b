import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CallFault } from './call-fault.js';
import type { CallOutcome, CallWatch } from './call-watch.js';
import type { IdentityOf } from './identity.js';
import { PlatformForCaller } from './platform-for-caller.js';

/** What all tools of a server share. */
export interface ToolHost {
  readonly server: McpServer;
  readonly platformUrl: string;
  readonly identityOf: IdentityOf;
  readonly watch: CallWatch;
  /** Aborts when the process stops. */
  readonly stopping: AbortSignal;
}

/** A call of a tool. */
export interface ToolCall<Input> {
  readonly input: Input;
  readonly platform: PlatformForCaller;
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Aborts when the process stops: a call that waits returns what is known. */
  readonly stopping: AbortSignal;
  /** Names the execution of the call in its record. */
  readonly noteExecution: (id: string) => void;
  /** Sends a progress notification if the client asked for them. */
  readonly progress: (message: string) => void;
}

export interface ToolAnswer {
  /** Fits the output schema of the tool. */
  readonly structured: Record<string, unknown>;
  readonly text: string;
  /** The run of the call ended without success. */
  readonly isFailure?: boolean;
}

export interface Tool<Input extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly annotations: ToolAnnotations;
  readonly run: (call: ToolCall<z.infer<z.ZodObject<Input>>>) => Promise<ToolAnswer>;
}

const API_KEY = z
  .string()
  .min(1)
  .optional()
  .describe('API key of the platform to act with. Default: the key of the server. Not accepted together with OAuth');

/** Returns the tool, with the type of its arguments. */
export function defineTool<Input extends z.ZodRawShape>(tool: Tool<Input>): Tool<Input> {
  return tool;
}

/** Offers a tool on the server. Every call ends with an answer or an error text, and with one record. */
export function addTool<Input extends z.ZodRawShape>(host: ToolHost, tool: Tool<Input>): void {
  const { name, title, description, input, output, annotations } = tool;
  const inputSchema = z.strictObject({ ...input, api_key: API_KEY });
  host.server.registerTool(
    name,
    { title, description, inputSchema, outputSchema: output, annotations: { openWorldHint: false, ...annotations } },
    (args, context) => {
      const { api_key: apiKey, ...own } = args as { api_key?: string };
      return answer(host, tool, { own: own as z.infer<z.ZodObject<Input>>, apiKey, context });
    },
  );
}

interface Arguments<Own> {
  readonly own: Own;
  readonly apiKey: string | undefined;
  readonly context: ServerContext;
}

async function answer<Input extends z.ZodRawShape>(
  { identityOf, watch, platformUrl, stopping }: ToolHost,
  tool: Tool<Input>,
  { own, apiKey, context }: Arguments<z.infer<z.ZodObject<Input>>>,
): Promise<CallToolResult> {
  const startedAt = performance.now();
  const { signal } = context.mcpReq;
  let [identity, executionId]: [ReturnType<IdentityOf> | null, string | null] = [null, null];
  let outcome: CallOutcome = 'refused';
  let leave = (): void => undefined;
  try {
    identity = identityOf(apiKey, context.http?.authInfo);
    leave = watch.admit(identity);
    const { structured, text, isFailure } = await tool.run({
      input: own,
      platform: new PlatformForCaller(platformUrl, identity.apiKey),
      signal,
      stopping,
      noteExecution: (id) => (executionId = id),
      progress: progressOf(context),
    });
    outcome = isFailure === true ? 'failed' : 'succeeded';
    const content = [{ type: 'text' as const, text }];
    return { content, structuredContent: structured, ...(isFailure === true ? { isError: true } : {}) };
  } catch (error) {
    // The package shows the message of any other error to the client.
    const text = error instanceof CallFault ? error.message : 'The call failed because of an internal error.';
    return { content: [{ type: 'text', text }], isError: true };
  } finally {
    leave();
    if (signal.aborted) outcome = 'cancelled';
    const durationMs = Math.round(performance.now() - startedAt);
    watch.record({ tool: tool.name, identity, executionId, outcome, durationMs });
  }
}

function progressOf({ mcpReq }: ServerContext): (message: string) => void {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  let progress = 0;
  return (message) => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    progress += 1;
    const params = { progressToken, progress, message };
    // Fails if the client has disconnected, which aborts the call.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
