import { newId, type JsonObject } from '@app/kernel';
import { messageOf } from '../../errors/error-text.js';
import { RuntimeFailure, type RuntimeTask } from '../runtime.js';
import { loopLimits } from './agent-settings.js';
import { McpConnections } from './mcp/mcp-connections.js';
import { folderFor } from './tool-folder.js';
import { mcpSecrets, readMcpServers } from './mcp/mcp-settings.js';
import { guardedCall, ToolFailure } from './tool-set.js';

export interface ToolCall {
  /** Name of one of the MCP servers of the task. */
  readonly server: string;
  readonly tool: string;
  readonly input: JsonObject;
}

/**
 * Calls one tool of an MCP server and returns its output as text. Publishes the same events as for a call by an agent.
 * Throws a RuntimeFailure if the server or the tool does not exist, or if the call fails; its message contains nothing
 * that the server sent, because it becomes the `error_message` of the step and of the execution.
 */
export async function callMcpTool(task: RuntimeTask, { server, tool, input }: ToolCall): Promise<string> {
  const { lease, logger, redactor, spans } = task;
  const mcpServers = Object.fromEntries(Object.entries(lease.mcpServers).filter(([name]) => name === server));
  const settings = readMcpServers({ ...lease, mcpServers });
  if (settings.length === 0) throw new RuntimeFailure(`There is no MCP server ${server}`);
  redactor.addSecrets(mcpSecrets(settings));
  const connections = new McpConnections(logger, await folderFor(task, settings));
  try {
    const [connected] = await connections.open(settings, task.signal);
    const found = connected?.tools[tool];
    if (found === undefined) throw new RuntimeFailure(`The MCP server ${server} has no tool ${tool}`);
    const { toolTimeoutMs: timeoutMs } = loopLimits(lease.agent.configuration);
    const call = (abortSignal: AbortSignal): unknown =>
      found.execute(input, { toolCallId: newId(), messages: [], abortSignal });
    return await published(task, { server, tool, input }, () =>
      guardedCall({ name: tool, input, call }, { timeoutMs, redactor, logger, spans }, task.signal),
    );
  } finally {
    await connections.close();
  }
}

async function published(
  task: RuntimeTask,
  { server, tool, input }: ToolCall,
  call: () => Promise<string>,
): Promise<string> {
  const fields = { tool_name: tool, tool_execution_id: newId(), message_id: null, tool_arguments: input };
  task.publish('tool_started', fields);
  try {
    const output = await call();
    task.publish('tool_completed', { ...fields, status: 'success', tool_output: output, tool_error: null });
    return output;
  } catch (error) {
    const message = messageOf(error);
    task.publish('tool_completed', { ...fields, status: 'failed', tool_output: null, tool_error: message });
    if (!(error instanceof ToolFailure)) throw error;
    throw new RuntimeFailure(`The tool ${tool} of the MCP server ${server} failed: ${error.reason}`);
  }
}
