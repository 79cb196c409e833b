import { z } from 'zod';
import { parametersOf } from './parameters.js';
import type { Execution, Workflow } from './platform-for-caller.js';

export const WORKFLOW_NAME = z.string().min(1).max(255).describe('Name or id of the workflow');
export const EXECUTION_ID = z.string().min(1).max(255).describe('Id of the execution');
const JSON_OBJECT = z.record(z.string(), z.unknown());
export const PARAMS = JSON_OBJECT.optional().describe('Values of the parameters of the workflow, by name');

export const IDEMPOTENCY_KEY = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .optional()
  .describe(
    'Key of the start, 1 to 255 characters. A call with the key of an earlier one gets its run, and starts none',
  );

export const WORKFLOW_SUMMARY = z.object({
  id: z.string().describe('Id of the workflow'),
  name: z.string().describe('Name of the workflow, unique in the organization'),
  description: z.string().nullable(),
  status: z.string().describe('`active`, `inactive` or `archived`'),
  version: z.int().describe('Version number, from 1'),
  parameters: z.array(z.string()).describe('Names of the parameters that the steps use'),
  updated_at: z.string().describe('Time of the last change, ISO 8601'),
});

export const WORKFLOW = WORKFLOW_SUMMARY.extend({
  steps: z.array(JSON_OBJECT).describe('Steps, exactly as sent'),
  configuration: JSON_OBJECT.describe('Free-form configuration of the runs'),
});

export const RUN = z.object({
  execution_id: z.string().describe('Id of the execution; get_execution and cancel_execution take it'),
  status: z
    .string()
    .describe(
      '`pending`, `running`, `waiting_for_input`, `paused`, `completed`, `failed`, `cancelled` or `terminated`',
    ),
  workflow: z.string().nullable().describe('Name of the workflow, agent or team that runs'),
  response: z.string().nullable().describe('Final response; null before the end of the run'),
  error_message: z.string().nullable().describe('Why the run failed; null without an error'),
  user: z.string().nullable().describe('E-mail address of the user for whom it runs'),
  created_at: z.string(),
  completed_at: z.string().nullable(),
});

export function toWorkflowSummary(workflow: Workflow): z.infer<typeof WORKFLOW_SUMMARY> {
  const { id, name, description, status, version, updated_at } = workflow;
  return { id, name, description, status, version, parameters: parametersOf(workflow), updated_at };
}

export function toWorkflow(workflow: Workflow): z.infer<typeof WORKFLOW> {
  const { steps, configuration } = workflow;
  return { ...toWorkflowSummary(workflow), steps, configuration };
}

export function toRun(execution: Execution): z.infer<typeof RUN> {
  const { id, status, entity_name, response, error_message, user_email, created_at, completed_at } = execution;
  return {
    execution_id: id,
    status,
    workflow: entity_name,
    response,
    error_message,
    user: user_email,
    created_at,
    completed_at,
  };
}
