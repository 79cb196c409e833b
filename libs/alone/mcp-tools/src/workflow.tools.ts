import { z } from 'zod';
import { WORKFLOW, WORKFLOW_NAME, WORKFLOW_SUMMARY, toWorkflow, toWorkflowSummary } from './schemas.js';
import { addTool, defineTool, type ToolHost } from './tool.js';

const listWorkflows = defineTool({
  name: 'list_workflows',
  title: 'List workflows',
  description: 'Lists the workflows of the organization, newest first, with the parameters that each takes.',
  input: {
    limit: z.int().min(1).max(1000).default(100).describe('Maximum number of workflows, 1 to 1000. Default 100'),
    cursor: z.string().min(1).optional().describe('`next_cursor` of the previous page'),
  },
  output: z.object({
    workflows: z.array(WORKFLOW_SUMMARY),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null on the last page'),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ input: { limit, cursor }, platform }) => {
    const page = await platform.listWorkflows(limit, cursor);
    const workflows = page.workflows.map(toWorkflowSummary);
    const lines = workflows.map(({ name, parameters, description }) => {
      const takes = parameters.length === 0 ? '' : ` (${parameters.join(', ')})`;
      return `- ${name}${takes}${description === null ? '' : `: ${description}`}`;
    });
    if (page.nextCursor !== null) lines.push(`More: call list_workflows with cursor "${page.nextCursor}".`);
    const text = lines.length === 0 ? 'There are no workflows.' : lines.join('\n');
    return { structured: { workflows, next_cursor: page.nextCursor }, text };
  },
});

const getWorkflow = defineTool({
  name: 'get_workflow',
  title: 'Show a workflow',
  description: 'Returns the definition of a workflow: its steps, configuration and parameters.',
  input: { name: WORKFLOW_NAME },
  output: WORKFLOW,
  annotations: { readOnlyHint: true },
  run: async ({ input: { name }, platform }) => {
    const structured = toWorkflow(await platform.readWorkflow(name));
    return { structured, text: JSON.stringify(structured, null, 2) };
  },
});

const createWorkflow = defineTool({
  name: 'create_workflow',
  title: 'Create a workflow',
  description:
    'Creates a workflow. Each step has a `name`, a `type` (`agent`, `team`, `tool` or `prompt`) and what it runs: ' +
    '`agent_id`, `team_id`, `tool` or `prompt`. In texts, `{{params.x}}` is a parameter of the run and ' +
    '`{{steps.x.output}}` the output of another step.',
  input: {
    name: z.string().min(1).max(255).describe('Name, unique in the organization'),
    description: z.string().optional(),
    steps: z.array(z.record(z.string(), z.unknown())).min(1).max(500).describe('Steps, 1 to 500'),
    configuration: z.record(z.string(), z.unknown()).optional().describe('Free-form configuration of the runs'),
  },
  output: WORKFLOW,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  run: async ({ input: { name, description = null, steps, configuration = {} }, platform }) => {
    // The platform checks the steps.
    const body = { name, description, steps: steps as never, configuration };
    const structured = toWorkflow(await platform.createWorkflow(body));
    return { structured, text: `Created the workflow "${structured.name}".` };
  },
});

const deleteWorkflow = defineTool({
  name: 'delete_workflow',
  title: 'Delete a workflow',
  description: 'Deletes a workflow and its versions. Its executions remain.',
  input: { name: WORKFLOW_NAME },
  output: z.object({ deleted: z.literal(true), name: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  run: async ({ input: { name }, platform }) => {
    await platform.deleteWorkflow(name);
    return { structured: { deleted: true, name }, text: `Deleted the workflow "${name}".` };
  },
});

/** Offers the tools that list, show, create and delete workflows. */
export function addWorkflowTools(host: ToolHost): void {
  addTool(host, listWorkflows);
  addTool(host, getWorkflow);
  addTool(host, createWorkflow);
  addTool(host, deleteWorkflow);
}
