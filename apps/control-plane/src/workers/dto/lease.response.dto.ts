import { ExecutionResponse } from '@app/execution-wire';
import { MAX_CANDIDATES, PLANNABLE_TYPES } from '@app/executions';
import {
  ResponseInteger,
  ResponseObject,
  ResponseList,
  ResponseMap,
  ResponseNested,
  ResponseNumber,
  ResponseOpenObjectList,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { AgentResponse } from '../../agents/dto/agent.response.dto.js';
import { ExecutionStepResponse } from '../../executions/dto/execution-step.dto.js';
import { ResolvedSkillResponse } from '../../skills/dto/skill.response.dto.js';
import { TeamResponse } from '../../teams/dto/team.response.dto.js';
import { WorkflowStep } from '@app/workflow-wire';

/** An execution with the fields that only its worker needs. */
export class LeasedExecutionResponse extends ExecutionResponse {
  @ResponseString({ nullable: true })
  readonly job_id!: string | null;

  @ResponseObject({
    description: 'Configuration of the job with the override of the trigger applied; `{}` without a job',
  })
  readonly config!: JsonObject;

  @ResponseObject({ description: 'Execution environment given at the start of this execution' })
  readonly execution_environment!: JsonObject;
}

export class LeaseModelResponse {
  @ResponseString({
    nullable: true,
    description: 'Model id; null for a model that is neither stored nor listed by the gateway',
  })
  readonly id!: string | null;

  @ResponseString({ description: 'Model name for requests to the model gateway' })
  readonly value!: string;

  @ResponseString({ nullable: true, description: 'Display name; null without an id' })
  readonly label!: string | null;

  @ResponseString({ nullable: true, description: 'Provider name; null without an id' })
  readonly provider!: string | null;

  @ResponseObject({ description: 'Free-form capabilities' })
  readonly capabilities!: JsonObject;
}

export class LeaseKnowledgeResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ description: 'Name; not necessarily unique' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;
}

export class LeaseContextResponse {
  @ResponseStringList({ description: 'Ids of knowledge entries' })
  readonly knowledge_uuids!: readonly string[];

  @ResponseList(LeaseKnowledgeResponse, {
    description:
      'The existing entries among `knowledge_uuids`, in their order. ' +
      '`GET /executions/{execution_id}/knowledge` finds and reads them under the lease',
  })
  readonly knowledge!: readonly LeaseKnowledgeResponse[];

  @ResponseStringList({ description: 'Ids of resources' })
  readonly resource_ids!: readonly string[];

  @ResponseStringList({ description: 'Ids of policies' })
  readonly policy_ids!: readonly string[];
}

/** A runnable with everything needed to run it. */
export class LeaseCallResponse {
  @ResponseNested(AgentResponse, { nullable: true, description: 'Agent to run; null for other kinds' })
  readonly agent!: AgentResponse | null;

  @ResponseNested(TeamResponse, { nullable: true, description: 'Team to run; null for other kinds' })
  readonly team!: TeamResponse | null;

  @ResponseList(ResolvedSkillResponse, {
    description:
      'Enabled skills of the agent or team, with those that it inherits; `mcp` ones are in `mcp_servers` as well',
  })
  readonly skills!: readonly ResolvedSkillResponse[];

  @ResponseNested(LeaseContextResponse, { description: 'Context of the run after all layers' })
  readonly context!: LeaseContextResponse;

  @ResponseObject({ description: 'Environment variables of the run: values by name' })
  readonly environment!: Readonly<Record<string, string>>;

  @ResponseStringList({ description: 'Names of the variables whose values must not leave the run' })
  readonly secrets!: readonly string[];

  @ResponseObject({
    description:
      'MCP servers of the run: settings by name, merged from the skills, the environment, the projects, the team, ' +
      'the agent, the integrations and the start',
  })
  readonly mcp_servers!: JsonObject;

  @ResponseObject({
    description:
      'Names of variables by MCP server. The server must not receive them: only the request that started the run ' +
      'sets them, and no layer lists them in `start_variables`',
  })
  readonly withheld_variables!: Readonly<Record<string, readonly string[]>>;

  @ResponseNested(LeaseModelResponse, {
    nullable: true,
    description: 'Model of the run; null if none is set and none is the default',
  })
  readonly model!: LeaseModelResponse | null;
}

/** A workflow in the version that was checked when the execution started. */
export class LeaseWorkflowResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ description: 'Name of the workflow' })
  readonly name!: string;

  @ResponseInteger({ description: 'Version number, from 1' })
  readonly version!: number;

  @ResponseOpenObjectList(WorkflowStep, { description: 'Steps in this version, exactly as sent' })
  readonly steps!: readonly JsonObject[];

  @ResponseObject({ description: 'Free-form configuration of the runs in this version' })
  readonly configuration!: JsonObject;

  @ResponseObject({ description: 'Parameters of the execution' })
  readonly params!: JsonObject;

  @ResponseObject({ description: 'By step, the id of the agent or team in `calls` that it runs' })
  readonly entity_ids!: Readonly<Record<string, string>>;

  @ResponseMap(LeaseModelResponse, { description: 'Models by the `model_id` of the steps' })
  readonly models!: Readonly<Record<string, LeaseModelResponse>>;

  @ResponseList(ExecutionStepResponse, {
    description: 'Steps that an earlier lease reported. The execution continues after those that have ended',
  })
  readonly reported_steps!: readonly ExecutionStepResponse[];
}

/** An agent or team that the worker may choose for an execution without an entity. */
export class LeaseCandidateResponse {
  @ResponseString({ enum: PLANNABLE_TYPES, description: 'Kind of the candidate' })
  readonly entity_type!: string;

  @ResponseString({ description: 'Id of the agent or team' })
  readonly entity_id!: string;

  @ResponseString({ description: 'Name; not necessarily unique' })
  readonly name!: string;

  @ResponseString({ nullable: true, description: 'First 1,000 characters of the description' })
  readonly description!: string | null;

  @ResponseStringList({ description: 'First 20 capabilities of the agent, or of the members of the team' })
  readonly capabilities!: readonly string[];
}

/** The right to run one attempt of an execution, with everything needed to run it. */
export class LeaseResponse extends LeaseCallResponse {
  @ResponseString({ secret: true, description: 'Lease token. Sent as `X-Lease-Token` with every write of the run' })
  readonly lease_token!: string;

  @ResponseInteger({ description: 'Attempt number, from 1' })
  readonly attempt!: number;

  @ResponseObject({
    description:
      'Usage of earlier attempts; `{}` without any. `execution.usage` includes it, and it is added to the usage that this ' +
      'attempt reports',
  })
  readonly earlier_usage!: JsonObject;

  @ResponseTime({ description: 'Expiry time. Each heartbeat and each write under the lease renews it' })
  readonly expires_at!: string;

  @ResponseNumber({
    description:
      'Longest time that the run takes, in seconds, without the time that it is paused or waits for input. Its worker ends ' +
      'it with the `failure_reason` `timeout`',
  })
  readonly timeout_seconds!: number;

  @ResponseString({
    nullable: true,
    description:
      'W3C trace context of the lease: spans of the run belong to its span. It changes with each lease; null without a trace',
  })
  readonly traceparent!: string | null;

  @ResponseString({
    nullable: true,
    description: 'W3C `tracestate` of the request that started the execution, to be passed along; null without one',
  })
  readonly tracestate!: string | null;

  @ResponseNested(LeasedExecutionResponse, { description: 'Execution to run' })
  readonly execution!: LeasedExecutionResponse;

  @ResponseNested(LeaseWorkflowResponse, { nullable: true, description: 'Workflow to run; null for other kinds' })
  readonly workflow!: LeaseWorkflowResponse | null;

  @ResponseMap(LeaseModelResponse, {
    description: 'Further models that the run uses, by the ids or values that name them',
  })
  readonly models!: Readonly<Record<string, LeaseModelResponse>>;

  @ResponseList(LeaseCallResponse, {
    description:
      'Agents and teams that the run may call: the members of the team, or those of the steps of the workflow with ' +
      'the members of its teams',
  })
  readonly calls!: readonly LeaseCallResponse[];

  @ResponseList(LeaseCandidateResponse, {
    description:
      `Up to ${MAX_CANDIDATES} agents and teams that the worker can run, if the execution has no entity. The worker chooses one ` +
      'and reports it with ' +
      '`POST /executions/{execution_id}/plan`; the response is the lease for it. Empty for an execution with an entity',
  })
  readonly candidates!: readonly LeaseCandidateResponse[];
}
