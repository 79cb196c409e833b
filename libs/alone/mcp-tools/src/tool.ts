import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { runAdmitted, type AdmittedCall, type CallRules } from './admitted-call.js';
import { PlatformForCaller, type PlatformEndpoint } from './platform-for-caller.js';

/** What all tools of a server share. */
export interface ToolHost extends CallRules {
  readonly server: McpServer;
  readonly endpoint: PlatformEndpoint;
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
  readonly noteExecution: AdmittedCall['noteExecution'];
  readonly noteCancelled: AdmittedCall['noteCancelled'];
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

/** Offers a tool on the server. */
export function addTool<Input extends z.ZodRawShape>(host: ToolHost, tool: Tool<Input>): void {
  const { name, title, description, input, output, annotations } = tool;
  const inputSchema = z.strictObject({ ...input, api_key: API_KEY });
  host.server.registerTool(
    name,
    { title, description, inputSchema, outputSchema: output, annotations: { openWorldHint: false, ...annotations } },
    (args, context) => {
      const { api_key: apiKey, ...rest } = args as { api_key?: string };
      const own = rest as z.infer<z.ZodObject<Input>>;
      return runAdmitted(host, { tool: name, apiKey, context }, (call) =>
        answer(host, tool, { input: own, call, context }),
      );
    },
  );
}

interface Admitted<Input> {
  readonly input: Input;
  readonly call: AdmittedCall;
  readonly context: ServerContext;
}

async function answer<Input extends z.ZodRawShape>(
  { endpoint, stopping }: ToolHost,
  tool: Tool<Input>,
  { input, call, context }: Admitted<z.infer<z.ZodObject<Input>>>,
): Promise<CallToolResult> {
  const { structured, text, isFailure } = await tool.run({
    input,
    platform: new PlatformForCaller(endpoint, call.identity.apiKey),
    signal: context.mcpReq.signal,
    stopping,
    noteExecution: call.noteExecution,
    noteCancelled: call.noteCancelled,
    progress: progressOf(context),
  });
  const content = [{ type: 'text' as const, text }];
  return { content, structuredContent: structured, ...(isFailure === true ? { isError: true } : {}) };
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
