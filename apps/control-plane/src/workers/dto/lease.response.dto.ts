import { OutInteger, OutObject, OutObjects, OutOne, OutString, OutTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { AgentResponse } from '../../agents/dto/agent.response.dto.js';
import { ExecutionResponse } from '../../executions/dto/execution.response.dto.js';
import { TeamResponse } from '../../teams/dto/team.response.dto.js';

/** An execution with what only its worker needs. */
export class LeasedExecutionResponse extends ExecutionResponse {
  @OutString({ nullable: true })
  readonly job_id!: string | null;

  @OutObject({ description: "The job's configuration with the trigger's override" })
  readonly config!: JsonObject;

  @OutObject({ description: 'As given to the start of this execution' })
  readonly execution_environment!: JsonObject;
}

export class LeaseModelResponse {
  @OutString({ nullable: true, description: 'null for a model that only the gateway knows' })
  readonly id!: string | null;

  @OutString({ description: 'What to ask the gateway for' })
  readonly value!: string;

  @OutString({ nullable: true })
  readonly label!: string | null;

  @OutString({ nullable: true })
  readonly provider!: string | null;

  @OutObject()
  readonly capabilities!: JsonObject;
}

/** The right to run one attempt of an execution, with everything needed to run it. */
export class LeaseResponse {
  @OutString({ secret: true, description: 'Send it as X-Lease-Token with every write of the run' })
  readonly lease_token!: string;

  @OutInteger({ description: 'Counts from 1' })
  readonly attempt!: number;

  @OutTime({ description: 'Unless a heartbeat or a write renews it' })
  readonly expires_at!: string;

  @OutString({ nullable: true, description: 'W3C trace context of the request that started it' })
  readonly traceparent!: string | null;

  @OutOne(LeasedExecutionResponse)
  readonly execution!: LeasedExecutionResponse;

  @OutOne(AgentResponse, { nullable: true })
  readonly agent!: AgentResponse | null;

  @OutOne(TeamResponse, { nullable: true })
  readonly team!: TeamResponse | null;

  @OutObjects()
  readonly skills!: readonly JsonObject[];

  @OutObject()
  readonly context!: JsonObject;

  @OutObject({ description: 'Environment variables, by name' })
  readonly environment!: Readonly<Record<string, string>>;

  @OutOne(LeaseModelResponse, { nullable: true })
  readonly model!: LeaseModelResponse | null;
}
