import { GEN_AI, GEN_AI_OPERATIONS, GEN_AI_PROVIDER } from '@app/observability';
import { textIn } from '../json-fields.js';
import type { Lease, Subject } from '../control-plane/lease.js';
import type { RuntimeUsage } from '../runtimes/runtime.js';
import type { SpanSpec } from './run-spans.js';

/** The span of a run: its agent, team or workflow. */
export function runSpan(lease: Lease): SpanSpec {
  const attributes = { 'platform.attempt': lease.attempt };
  if (lease.kind === 'workflow') {
    const { invokeWorkflow: operation } = GEN_AI_OPERATIONS;
    const name = textIn(lease.workflow, 'name') ?? undefined;
    return named(operation, name, { ...attributes, [GEN_AI.operation]: operation, [GEN_AI.workflowName]: name });
  }
  const span = agentSpan(lease);
  return { ...span, attributes: { ...span.attributes, ...attributes } };
}

/** The span of an agent that a run calls, or of a team, which its leader stands for. */
export function agentSpan({ kind, agent, team, model }: Pick<Subject, 'kind' | 'agent' | 'team' | 'model'>): SpanSpec {
  const isTeam = kind === 'team';
  const name = (isTeam ? textIn(team, 'name') : agent.name) ?? undefined;
  const { invokeAgent: operation } = GEN_AI_OPERATIONS;
  return named(operation, name, {
    [GEN_AI.operation]: operation,
    [GEN_AI.provider]: GEN_AI_PROVIDER,
    [GEN_AI.agentId]: (isTeam ? textIn(team, 'id') : agent.id) ?? undefined,
    [GEN_AI.agentName]: name,
    [GEN_AI.requestModel]: model ?? undefined,
  });
}

/** The span of a call of a tool. */
export function toolSpan({ id, name }: { readonly id?: string; readonly name: string }): SpanSpec {
  const { executeTool: operation } = GEN_AI_OPERATIONS;
  return named(operation, name, {
    [GEN_AI.operation]: operation,
    [GEN_AI.toolName]: name,
    [GEN_AI.toolCallId]: id,
    [GEN_AI.toolType]: 'function',
  });
}

/** The span of one attempt of a step of a workflow. */
export function stepSpan(step: string, attempt: number): SpanSpec {
  const attributes = { 'platform.span.category': 'step', 'platform.step.name': step, 'platform.step.attempt': attempt };
  return { name: `step ${step}`, attributes };
}

/** Attributes of a run that has ended. The conventions have none for workflows. */
export function usageAttributes(usage: RuntimeUsage | null, kind: Subject['kind']): SpanSpec['attributes'] {
  if (usage === null || kind === 'workflow') return {};
  return { [GEN_AI.inputTokens]: usage.prompt_tokens, [GEN_AI.outputTokens]: usage.completion_tokens };
}

function named(operation: string, name: string | undefined, attributes: SpanSpec['attributes']): SpanSpec {
  return { name: name === undefined ? operation : `${operation} ${name}`, attributes };
}
