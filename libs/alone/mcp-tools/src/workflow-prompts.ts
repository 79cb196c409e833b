import { ProtocolError, ProtocolErrorCode, type Prompt } from '@modelcontextprotocol/server';
import { listFor, readFor } from './caller-reads.js';
import { parametersOf } from './parameters.js';
import { isNotFound, type Workflow } from './platform-for-caller.js';
import type { ToolHost } from './tool.js';

/** Offers each workflow with parameters as a prompt that asks for a run with them. */
export function addWorkflowPrompts(host: ToolHost): void {
  const { server } = host.server;
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', async (_request, context) => {
    const workflows = await listFor(host, 'prompts/list', context);
    return { prompts: workflows.filter((workflow) => parametersOf(workflow).length > 0).map(toPrompt) };
  });
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    readFor(host, 'prompts/get', context, async (platform) => {
      const workflow = await platform.readWorkflow(params.name).catch((error: Error) => {
        throw isNotFound(error) ? new ProtocolError(ProtocolErrorCode.InvalidParams, error.message) : error;
      });
      return toMessages(workflow, params.arguments ?? {});
    }),
  );
}

function toMessages(workflow: Workflow, values: Readonly<Record<string, string>>) {
  const names = parametersOf(workflow);
  const unknown = Object.keys(values).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `The workflow "${workflow.name}" has no parameter "${unknown}"`,
    );
  }
  const shown = JSON.stringify(values, null, 2);
  const text = `Run the workflow "${workflow.name}" with the tool execute_workflow and these params:\n${shown}`;
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
}

function toPrompt(workflow: Workflow): Prompt {
  const description = workflow.description ?? `Runs the workflow "${workflow.name}"`;
  const parameters = parametersOf(workflow).map((name) => ({ name, required: false }));
  return { name: workflow.name, description, arguments: parameters };
}
