import {
  checkRepeatedEnvironment,
  executionNotRepeatable,
  ExecutionService,
  RunnableSources,
  type RepeatableExecution,
  type StartInput,
} from '@app/executions';
import { invalid, isJsonObject, withoutUndefined, type Caller, type Fault, type JsonObject } from '@app/kernel';
import { RequestedRunService, type StartedRun } from '@app/orchestration';
import { Injectable } from '@nestjs/common';
import { JobTriggerService } from '../triggers/job-trigger.service.js';
import type { RerunRequest } from './rerun.types.js';

/**
 * Repeats executions. A repetition is a new start: its entity and queue are looked up again, and policies are evaluated
 * again.
 */
@Injectable()
export class RerunService {
  constructor(
    private readonly executions: ExecutionService,
    private readonly runs: RequestedRunService,
    private readonly jobs: JobTriggerService,
    private readonly runnables: RunnableSources,
  ) {}

  /**
   * Starts an execution for the user of the caller's key with the input of another one, whatever its status. For a run
   * of a job, triggers the current job: its template, its configuration and its choice of the queue apply. Throws
   * `not_found` if the execution, or a resource that it names, does not exist, and the errors of a first start.
   */
  async rerun(caller: Caller, id: string, request: RerunRequest): Promise<StartedRun> {
    const execution = await this.executions.readRepeatable(caller, id);
    const faults = this.unusedFields(execution, request);
    if (faults.length > 0) throw invalid(faults);
    return execution.job_id === null
      ? this.rerunRequested(caller, execution, request)
      : this.rerunJob(caller, execution.job_id, execution, request);
  }

  private async rerunJob(
    caller: Caller,
    jobId: string,
    execution: RepeatableExecution,
    { parameters, config_override, worker_queue_id: workerQueueId = null }: RerunRequest,
  ): Promise<StartedRun> {
    const input = inputOf(execution);
    return this.jobs.rerun(caller, jobId, {
      parameters: parameters ?? input.parameters ?? {},
      config_override: { ...input.config_override, ...config_override },
      workerQueueId,
      rerunOf: execution.id,
    });
  }

  private async rerunRequested(
    caller: Caller,
    execution: RepeatableExecution,
    request: RerunRequest,
  ): Promise<StartedRun> {
    const { execution_type: kind, entity_id: id, prompt } = execution;
    if (id === null) throw executionNotRepeatable();
    checkRepeatedEnvironment(caller, execution);
    const { user_metadata, parameters: params } = withChanges(inputOf(execution), request);
    const newPrompt = request.prompt ?? prompt ?? undefined;
    return this.runs.start(
      caller,
      { kind, id },
      {
        ...withoutUndefined({ prompt: newPrompt, params, user_metadata }),
        system_prompt: request.system_prompt ?? execution.system_prompt,
        worker_queue_id: request.worker_queue_id ?? null,
        execution_environment: execution.execution_environment,
        config: { ...execution.config, ...request.config_override },
        rerunOf: execution.id,
      },
    );
  }

  /** Returns a fault for each field that the run does not use: ignoring it would start an unintended run. */
  private unusedFields({ job_id: jobId, execution_type: kind }: RepeatableExecution, request: RerunRequest): Fault[] {
    const unused = (field: keyof RerunRequest, msg: string): Fault[] =>
      request[field] == null ? [] : [{ path: [field], msg, type: 'value_error' }];
    if (jobId !== null) {
      return (['prompt', 'system_prompt'] as const).flatMap((field) =>
        unused(field, `The ${field} of a run of a job comes from the job; send \`parameters\` for its template`),
      );
    }
    if (this.runnables.takesParameters(kind)) return [];
    return unused('parameters', 'Only runs of jobs and workflows have parameters');
  }
}

/** Executions that were stored before `start_input` existed only have the part of it that their metadata contains. */
function inputOf({ start_input: input, execution_metadata: metadata }: RepeatableExecution): StartInput {
  if (input !== null) return input;
  const objectIn = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
  const { parameters, user_metadata } = metadata;
  return withoutUndefined({ parameters: objectIn(parameters), user_metadata: objectIn(user_metadata) });
}

/** In a run with parameters, the prompt is the parameter `prompt`. */
function withChanges(input: StartInput, { parameters = input.parameters, prompt }: RerunRequest): StartInput {
  if (parameters === undefined) return input;
  return { ...input, parameters: prompt == null ? parameters : { ...parameters, prompt } };
}
