import { VERSION } from '@app/kernel';
import { McpServer, type AuthInfo, type ServerCapabilities } from '@modelcontextprotocol/server';
import type { CallRules } from './admitted-call.js';
import { addExecutionTools } from './execution.tools.js';
import { addExposedWorkflows, type ExposedWorkflows } from './exposed-workflows.js';
import type { PlatformEndpoint } from './platform-for-caller.js';
import type { ToolHost } from './tool.js';
import { addWorkflowPrompts } from './workflow-prompts.js';
import { addWorkflowResources } from './workflow-resources.js';
import { addWorkflowTools } from './workflow.tools.js';

export interface WorkflowServerOptions extends CallRules {
  readonly endpoint: PlatformEndpoint;
  /** How long a call that runs a workflow waits for the result, in seconds. */
  readonly waitSeconds: number;
  /** Aborts when the process stops: waiting calls return what is known. */
  readonly stopping: AbortSignal;
  /** Set if each workflow is a tool of its own as well. */
  readonly exposed: ExposedWorkflows | null;
}

const INSTRUCTIONS =
  'Runs workflows of the agent platform under the identity of the caller. Find a workflow with list_workflows, run it ' +
  'with execute_workflow, and wait for a long run with get_execution.';

/** No change is reported: a client that was told otherwise would keep a list until a message that never comes. */
const CAPABILITIES: ServerCapabilities = { tools: { listChanged: false }, resources: { listChanged: false } };

/**
 * Creates the MCP server for one request or one connection.
 *
 * @param authInfo the token of the caller of the request; undefined without one
 */
export async function createWorkflowServer(
  options: WorkflowServerOptions,
  authInfo: AuthInfo | undefined,
): Promise<McpServer> {
  const { endpoint, identityOf, watch, waitSeconds, stopping } = options;
  const info = { name: 'agent-platform-workflows', title: 'Workflows of the agent platform', version: VERSION };
  const server = new McpServer(info, { instructions: INSTRUCTIONS, capabilities: CAPABILITIES });
  const host: ToolHost = { server, endpoint, identityOf, watch, stopping };
  addWorkflowTools(host);
  addExecutionTools(host, { waitSeconds });
  addWorkflowResources(host);
  addWorkflowPrompts(host);
  if (options.exposed !== null) {
    addExposedWorkflows(host, await options.exposed.of(() => identityOf(undefined, authInfo)), waitSeconds);
  }
  return server;
}
