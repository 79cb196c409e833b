import {
  ProtocolError,
  ProtocolErrorCode,
  type McpServer,
  type Prompt,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { parametersOf } from './parameters.js';
import { isNotFound, type PlatformForCaller, type Workflow } from './platform-for-caller.js';

/** Returns the platform with the key of the caller of a request. Throws a CallFault if there is no key. */
export type PlatformOf = (context: ServerContext) => PlatformForCaller;

/** Returns the workflows of the caller; none without a key, because clients read the lists before any call. */
export async function workflowsOf(platformOf: PlatformOf, context: ServerContext): Promise<readonly Workflow[]> {
  let platform: PlatformForCaller;
  try {
    platform = platformOf(context);
  } catch {
    return [];
  }
  return platform.newestWorkflows();
}

/** Offers each workflow with parameters as a prompt that asks for a run with them. */
export function addWorkflowPrompts({ server }: McpServer, platformOf: PlatformOf): void {
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', async (_request, context) => {
    const workflows = await workflowsOf(platformOf, context);
    return { prompts: workflows.filter((workflow) => parametersOf(workflow).length > 0).map(toPrompt) };
  });
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const workflow = await platformOf(context)
      .readWorkflow(params.name)
      .catch((error: Error) => {
        throw isNotFound(error) ? new ProtocolError(ProtocolErrorCode.InvalidParams, error.message) : error;
      });
    const names = parametersOf(workflow);
    const unknown = Object.keys(params.arguments ?? {}).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The workflow "${workflow.name}" has no parameter "${unknown}"`,
      );
    }
    const values = JSON.stringify(params.arguments ?? {}, null, 2);
    const text = `Run the workflow "${workflow.name}" with the tool execute_workflow and these params:\n${values}`;
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
  });
}

function toPrompt(workflow: Workflow): Prompt {
  const description = workflow.description ?? `Runs the workflow "${workflow.name}"`;
  const parameters = parametersOf(workflow).map((name) => ({ name, required: false }));
  return { name: workflow.name, description, arguments: parameters };
}
