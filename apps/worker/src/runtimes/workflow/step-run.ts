import { isJsonObject, type JsonObject } from '@app/kernel';
import type { AgentSpec, Lease, Subject } from '../../control-plane/lease.js';
import { NestedConversation } from '../../conversation/conversation.js';
import { callMcpTool } from '../default/mcp-tool-call.js';
import { RuntimeFailure, type RuntimeTask, type RuntimeUsage } from '../runtime.js';
import type { PlannedStep } from './step-plan.js';
import { renderObject, renderText, type TemplateValues } from '../template.js';

export interface StepResult {
  readonly output: string;
  /** Null for steps that call no model. */
  readonly usage: RuntimeUsage | null;
}

/** A step of the type `prompt` is a request to a model without tools. */
const NO_AGENT: AgentSpec = {
  id: null,
  name: null,
  description: null,
  systemPrompt: null,
  runtime: 'default',
  configuration: {},
  llmConfig: {},
};

/** Runs one attempt of a step. `task` has the lease of the workflow. Throws a RuntimeFailure if the attempt fails. */
export async function runStep(task: RuntimeTask, step: PlannedStep, values: TemplateValues): Promise<StepResult> {
  if (step.type === 'tool') return { output: await callTool(task, step, values), usage: null };
  const lease = leaseOf(task.lease, step, values);
  const conversation = new NestedConversation();
  const { response, usage } = await task.runtimes.for(lease).run({ ...task, lease, conversation, mayAsk: false });
  task.conversation.append(conversation.ofStep(step.name));
  return { output: response, usage };
}

/** A step without a prompt gets the prompt of the execution. */
function leaseOf(lease: Lease, step: PlannedStep, values: TemplateValues): Lease {
  const prompt = renderText(step.prompt ?? lease.prompt, values);
  const subject = step.type === 'prompt' ? promptSubject(lease) : calledBy(lease, step);
  const model = step.modelId === null ? subject.model : modelOf(lease, step.modelId);
  return { ...lease, ...subject, workflow: {}, prompt, systemPrompt: null, model };
}

function promptSubject(lease: Lease): Subject {
  return {
    ...lease,
    kind: 'agent',
    agent: NO_AGENT,
    team: {},
    mcpServers: {},
    skills: [],
    knowledgeIds: [],
    instructions: [],
  };
}

function calledBy({ workflow, calls }: Lease, { name, type }: PlannedStep): Subject {
  const ids = isJsonObject(workflow['entity_ids']) ? workflow['entity_ids'] : {};
  const id = Object.hasOwn(ids, name) ? ids[name] : undefined;
  const subject = calls.find(
    (call) => call.kind === type && (type === 'team' ? call.team['id'] : call.agent.id) === id,
  );
  if (id === undefined || subject === undefined) throw new RuntimeFailure(`The ${type} of the step does not exist`);
  return subject;
}

/** The control plane resolves each model that a step names. */
function modelOf({ workflow }: Lease, modelId: string): string {
  const models: JsonObject = isJsonObject(workflow['models']) ? workflow['models'] : {};
  const model = Object.hasOwn(models, modelId) ? models[modelId] : undefined;
  return isJsonObject(model) && typeof model['value'] === 'string' ? model['value'] : modelId;
}

async function callTool(task: RuntimeTask, { tool }: PlannedStep, values: TemplateValues): Promise<string> {
  const input = renderObject(isJsonObject(tool['arguments']) ? tool['arguments'] : {}, values);
  return callMcpTool(task, { server: String(tool['server']), tool: String(tool['name']), input });
}
