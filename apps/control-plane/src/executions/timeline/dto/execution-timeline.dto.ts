import { ResponseInteger, ResponseList, ResponseNested, ResponseString, ResponseTime } from '@app/http';
import {
  ACTOR_KINDS,
  ATTEMPT_OUTCOMES,
  EXECUTION_STATUSES,
  type ActorKind,
  type AttemptOutcome,
  type ExecutionStatus,
} from '@app/executions';

export class ActorResponse {
  @ResponseString({
    enum: ACTOR_KINDS,
    description: '`user`: a client without a lease; `worker`: the holder of the lease; `platform`: the control plane',
  })
  readonly kind!: ActorKind;

  @ResponseString({ nullable: true, description: 'User or worker id; null for the platform' })
  readonly id!: string | null;

  @ResponseString({ nullable: true, description: 'Name of the user, or of the runner of the worker; null if unknown' })
  readonly name!: string | null;
}

export class TransitionResponse {
  @ResponseTime({ description: 'Time of the change' })
  readonly at!: string;

  @ResponseString({
    enum: EXECUTION_STATUSES,
    nullable: true,
    description: 'Status before the change; null for the creation',
  })
  readonly from!: ExecutionStatus | null;

  @ResponseString({ enum: EXECUTION_STATUSES, description: 'Status after the change' })
  readonly to!: ExecutionStatus;

  @ResponseInteger({ description: 'Attempt after the change, from 1' })
  readonly attempt!: number;

  @ResponseNested(ActorResponse, { description: 'Who caused the change' })
  readonly actor!: ActorResponse;

  @ResponseString({
    nullable: true,
    description: 'Trigger or error message, at most 1,000 characters; null without one',
  })
  readonly reason!: string | null;
}

export class AttemptResponse {
  @ResponseInteger({
    description:
      'Number of the attempt, from 1. Several entries have the same number if a worker returned the lease early',
  })
  readonly attempt!: number;

  @ResponseTime({ nullable: true, description: 'Time from which the queue delivers the attempt; null without a queue' })
  readonly queued_at!: string | null;

  @ResponseTime({ nullable: true, description: 'Time at which a worker leased the attempt; null before the lease' })
  readonly leased_at!: string | null;

  @ResponseTime({ nullable: true, description: 'Time of the change from `pending` to `running`; null before it' })
  readonly started_at!: string | null;

  @ResponseTime({ nullable: true, description: 'Time of the end of the attempt; null before it' })
  readonly ended_at!: string | null;

  @ResponseString({ nullable: true })
  readonly worker_id!: string | null;

  @ResponseString({ nullable: true, description: 'Host name or runner name of the worker' })
  readonly worker_hostname!: string | null;

  @ResponseString({
    enum: ATTEMPT_OUTCOMES,
    nullable: true,
    description:
      '`lease_expired`: the worker was lost; `handed_back`: the worker returned the lease before the end, for example to wait for input; null while no worker has it',
  })
  readonly outcome!: AttemptOutcome | null;

  @ResponseString({ nullable: true })
  readonly error_message!: string | null;
}

export class TimelineResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ enum: EXECUTION_STATUSES, description: 'Current status' })
  readonly status!: ExecutionStatus;

  @ResponseString({ nullable: true })
  readonly job_id!: string | null;

  @ResponseString({ nullable: true })
  readonly worker_queue_id!: string | null;

  @ResponseString({ nullable: true, description: 'Name of the worker queue; null without one or if it was deleted' })
  readonly queue_name!: string | null;

  @ResponseString({ nullable: true })
  readonly parent_execution_id!: string | null;

  @ResponseString({
    nullable: true,
    description: 'Execution of the same session for whose end the pending execution waits; null if it does not wait',
  })
  readonly waits_for_execution_id!: string | null;

  @ResponseInteger({ description: 'Number of executions with this parent, counted up to 10,000' })
  readonly children!: number;

  @ResponseString({ nullable: true, description: 'Id of the trace that the start belongs to' })
  readonly trace_id!: string | null;

  @ResponseString({ nullable: true, description: 'Decision of the policies about the start; null without policies' })
  readonly policy_decision_id!: string | null;

  @ResponseList(AttemptResponse, { description: 'Attempts, oldest first' })
  readonly attempts!: readonly AttemptResponse[];

  @ResponseList(TransitionResponse, {
    description:
      'The newest 5,000 changes of the status, oldest first. Each begins with the status with which the previous one ended',
  })
  readonly transitions!: readonly TransitionResponse[];
}
