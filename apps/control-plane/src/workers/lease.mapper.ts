import { toExecutionResponse } from '@app/execution-wire';
import {
  DEFAULT_TIMEOUT_MS,
  leaseSpanId,
  traceOf,
  type HeldLease,
  type LeasedExecution,
  type RunCandidate,
} from '@app/executions';
import { toWireTime } from '@app/kernel';
import { traceparentOf } from '@app/observability';
import type { NamedKnowledge } from '@app/resources';
import type { AssembledCall, AssembledRun, RunModel } from '@app/orchestration';
import { AssembledWorkflow } from '@app/workflows';
import type { AgentResponse } from '../agents/dto/agent.response.dto.js';
import { toExecutionStepResponse } from '../executions/execution-step.mapper.js';
import { toResolvedSkillResponse } from '../skills/skill.mapper.js';
import type { TeamResponse } from '../teams/dto/team.response.dto.js';
import type { HeldLeaseResponse } from './dto/held-lease.response.dto.js';
import type {
  LeaseCallResponse,
  LeaseCandidateResponse,
  LeaseModelResponse,
  LeaseResponse,
  LeaseWorkflowResponse,
} from './dto/lease.response.dto.js';

/** Fields of a lease response that other domains own. */
export interface LeaseView {
  readonly agent: AgentResponse | null;
  readonly team: TeamResponse | null;
  /** The knowledge entries of the context that exist. */
  readonly knowledge: readonly NamedKnowledge[];
}

/** A run, or a runnable that it may call. */
export type LeasedCall = Omit<AssembledCall, 'runnable'> & Pick<AssembledRun, 'runnable'>;
type ViewOf = (call: LeasedCall) => LeaseView;

export function toLeaseResponse(run: AssembledRun, viewOf: ViewOf): LeaseResponse {
  const { lease, calls } = run;
  const { execution } = lease;
  return {
    lease_token: lease.leaseToken,
    attempt: lease.attempt,
    earlier_usage: execution.earlier_usage?.usage ?? {},
    expires_at: toWireTime(lease.expiresAt),
    timeout_seconds: Math.max(1, execution.timeout_left_ms ?? run.timeoutMs ?? DEFAULT_TIMEOUT_MS) / 1000,
    traceparent: traceparentOfLease(lease),
    tracestate: execution.trace_origin?.trace_state ?? null,
    execution: {
      ...toExecutionResponse(execution),
      job_id: execution.job_id,
      config: execution.config,
      execution_environment: execution.execution_environment,
    },
    ...toLeaseCallResponse(run, viewOf),
    workflow: toLeaseWorkflowResponse(run),
    models: toLeaseModels(run),
    calls: calls.map((call) => toLeaseCallResponse(call, viewOf)),
    candidates: run.candidates.map(toLeaseCandidateResponse),
  };
}

/** The spans of the worker belong to that of the lease. */
function traceparentOfLease({ execution, attempt }: LeasedExecution): string | null {
  const trace = traceOf(execution);
  if (trace === undefined) return null;
  const { leased_at: leasedAt } = execution;
  if (trace.spanId === null || leasedAt === null) return traceparentOf(trace);
  return traceparentOf({ ...trace, spanId: leaseSpanId(trace.spanId, { attempt, leasedAt }) });
}

function toLeaseCandidateResponse(candidate: RunCandidate): LeaseCandidateResponse {
  const { kind, id, name, description, capabilities } = candidate;
  return { entity_type: kind, entity_id: id, name, description, capabilities };
}

function toLeaseCallResponse(call: LeasedCall, viewOf: ViewOf): LeaseCallResponse {
  const { model, environment, skills, context } = call;
  const { agent, team, knowledge } = viewOf(call);
  return {
    agent,
    team,
    skills: skills.map((skill) => toResolvedSkillResponse(skill, true)),
    context: {
      knowledge_uuids: context.knowledge_uuids,
      knowledge: knowledge.map(({ id, name, description }) => ({ id, name, description })),
      resource_ids: context.resource_ids,
      policy_ids: context.policy_ids,
    },
    environment: environment.variables,
    secrets: environment.secrets,
    mcp_servers: environment.mcpServers,
    withheld_variables: environment.withheldVariables,
    model: model === null ? null : toLeaseModelResponse(model),
  };
}

function toLeaseWorkflowResponse({
  runnable,
  lease,
  furtherModels,
  steps,
}: AssembledRun): LeaseWorkflowResponse | null {
  const { definition } = lease.execution;
  if (!(runnable instanceof AssembledWorkflow) || definition === null) return null;
  const { version } = runnable;
  return {
    id: runnable.id,
    name: runnable.name,
    version: version.version,
    steps: version.steps,
    configuration: version.configuration,
    params: definition.params,
    entity_ids: Object.fromEntries(
      definition.steps.flatMap(({ name, entity_id: id }) => (id === null ? [] : [[name, id]])),
    ),
    models: toLeaseModels({ furtherModels }),
    reported_steps: steps.map(toExecutionStepResponse),
  };
}

function toLeaseModels({ furtherModels }: Pick<AssembledRun, 'furtherModels'>): LeaseResponse['models'] {
  return Object.fromEntries([...furtherModels].map(([name, model]) => [name, toLeaseModelResponse(model)]));
}

function toLeaseModelResponse(model: RunModel): LeaseModelResponse {
  if (!('id' in model)) return { id: null, value: model.value, label: null, provider: null, capabilities: {} };
  return {
    id: model.id,
    value: model.value,
    label: model.label,
    provider: model.provider,
    capabilities: model.capabilities,
  };
}

export function toHeldLeaseResponse(lease: HeldLease): HeldLeaseResponse {
  return {
    execution_id: lease.id,
    execution_type: lease.execution_type,
    entity_name: lease.entity_name,
    status: lease.status,
    attempt: lease.attempt,
    max_attempts: lease.max_attempts,
    leased_at: toWireTime(lease.leased_at),
    expires_at: toWireTime(lease.lease_expires_at),
    command: lease.command,
    command_at: toWireTime(lease.command_at),
  };
}
