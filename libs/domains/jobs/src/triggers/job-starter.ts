import {
  ExecutionService,
  fixDefinition,
  foreignChangeIn,
  RunnableSources,
  WorkStoppedError,
  type CreateExecution,
  type ExecutionUser,
  type StartedExecution,
  type StartExecution,
} from '@app/executions';
import { DomainError, withoutUndefined, type JsonObject, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { reasonOf, RunPreviewService, unsetParameters, type RunPreview } from '@app/orchestration';
import { Injectable } from '@nestjs/common';
import { JobEnvironmentService } from './job-environment.service.js';
import { runnableKindOf, JobTargetService, type JobTarget } from './job-target.service.js';
import { namesWithoutValue, renderTemplate } from './job-template.js';
import { jobDisabled, jobNotFound, promptTooLong } from '../jobs/job.errors.js';
import { JobRepository } from '../jobs/job.repository.js';
import type { Job, TriggeredJob, TriggerJob } from '../jobs/job.types.js';

/** A start of a job, with its trigger, parameters and overrides. */
export interface Firing extends TriggerJob {
  readonly triggerType: 'manual' | 'webhook' | 'cron';
  /** Shown in the history of the job. */
  readonly metadata: JsonObject;
  /** The execution that this one repeats. */
  readonly rerunOf?: string;
  /** Id or name of the queue; null: the queue that the job chooses. */
  readonly workerQueueId?: string | null;
  /** The user for whom the execution runs. */
  readonly user: ExecutionUser;
  /** Why runs for this user are not allowed; absent if they are. */
  readonly userRefusal?: string;
  /** Why only a failed execution is created; absent if the job is started. */
  readonly refusal?: string;
}

/** Starts the executions of jobs. */
@Injectable()
export class JobStarter {
  private readonly logger = createLogger('jobs');

  constructor(
    private readonly targets: JobTargetService,
    private readonly runnables: RunnableSources,
    private readonly executions: ExecutionService,
    private readonly environments: JobEnvironmentService,
    private readonly jobs: JobRepository,
    private readonly previews: RunPreviewService,
  ) {}

  /**
   * Resolves what the job names and starts an execution. If something is missing, or the job sets variables that it
   * must not set, or its user is suspended, creates a failed execution with an error message that lists the reasons.
   * Throws `job_disabled` or `not_found` if the job is disabled or deleted at any time before the execution is stored.
   */
  async fire(scope: Scope, job: Job, firing: Firing): Promise<TriggeredJob> {
    // A run of the schedule is started even if the job is disabled, because the job was enabled at the instant.
    if (!job.enabled && firing.triggerType !== 'cron') throw jobDisabled();
    const { target, origin, refusals } = await this.prepare(scope, job, firing);
    const { runnable, assignment, unservedQueue } = target;
    const reasons = [...target.missing, ...refusals];
    const execution = await this.unlessStopped(scope, job, () =>
      assignment === undefined || refusals.length > 0
        ? this.executions.startFailed(scope, origin, reasons.join('; '))
        : this.start(scope, { ...origin, assignment }, firing.triggerType === 'cron'),
    );
    if (execution.status !== 'failed' && runnable !== undefined) await this.runnables.recordRun(scope, runnable);
    const fields = { job_id: job.id, trigger_type: firing.triggerType, status: execution.status };
    this.logger.info(reasons.length === 0 ? fields : { ...fields, reasons }, 'job fired');
    const missing = new Set([...missingOf(job, firing), ...unsetParameters(runnable, origin)]);
    return { job_id: job.id, execution, unservedQueue, missingParameters: [...missing] };
  }

  /** Tells what `fire` would do. Starts and stores nothing. */
  async preview(scope: Scope, job: Job, firing: Firing): Promise<RunPreview> {
    const { target, origin, refusals } = await this.prepare(scope, job, firing);
    const { runnable, queue, missing } = target;
    const disabled = job.enabled ? [] : [jobDisabled().message];
    const isNamed = job.executor_type === 'specific_queue';
    const named = job.environment_name === null ? [] : [job.environment_name];
    const environments = [...(runnable?.environmentIds ?? []), ...named];
    return this.previews.of(scope, {
      ...{ origin, runnable, queue, problems: [...disabled, ...missing, ...refusals] },
      reason: isNamed ? 'requested' : reasonOf(queue, environments),
      missing: missingOf(job, firing),
    });
  }

  private async prepare(
    scope: Scope,
    job: Job,
    firing: Firing,
  ): Promise<{ target: JobTarget; origin: CreateExecution; refusals: readonly string[] }> {
    const target = await this.targets.find(scope, routed(job, firing.workerQueueId ?? null));
    const origin = originOf(job, firing, target);
    const { refusal, userRefusal } = firing;
    const refusals = [refusal, userRefusal, await this.environments.refusalOf(scope, job, target)].filter(
      (reason) => reason !== undefined,
    );
    return { target, origin, refusals };
  }

  /**
   * An instant of the schedule that its session refuses is recorded as a failed execution: nobody receives the refusal.
   */
  private async start(scope: Scope, request: StartExecution, isScheduled: boolean): Promise<StartedExecution> {
    try {
      return await this.executions.start(scope, request);
    } catch (error) {
      if (!isScheduled || !(error instanceof DomainError) || error.code !== 'session_busy') throw error;
      return this.executions.startFailed(scope, request, error.message);
    }
  }

  private async unlessStopped(
    scope: Scope,
    { id }: Job,
    start: () => Promise<StartedExecution>,
  ): Promise<StartedExecution> {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof WorkStoppedError)) throw error;
      throw (await this.jobs.find(scope, id)) === undefined ? jobNotFound() : jobDisabled();
    }
  }
}

function missingOf({ prompt_template: template }: Job, { parameters = {} }: Firing): string[] {
  return namesWithoutValue(template, parameters);
}

/** Returns the job with the requested queue instead of its own choice. */
function routed(job: Job, queue: string | null): Job {
  if (queue === null) return job;
  return { ...job, executor_type: 'specific_queue', worker_queue_name: queue, environment_name: null };
}

function originOf(job: Job, firing: Firing, target: JobTarget): CreateExecution {
  const { parameters = {}, config_override = {}, rerunOf: rerun_of } = firing;
  const prompt = renderTemplate(job.prompt_template, parameters);
  if (prompt === undefined) throw promptTooLong();
  return {
    executionType: runnableKindOf(job),
    entityId: job.entity_id,
    entityName: target.runnable?.name ?? null,
    prompt,
    systemPrompt: job.system_prompt,
    user: firing.user,
    jobId: job.id,
    ...(firing.triggerType === 'cron' ? {} : { sourceId: job.id }),
    triggerType: firing.triggerType,
    triggerMetadata: firing.metadata,
    executionMetadata: withoutUndefined({
      job_id: job.id,
      job_name: job.name,
      trigger_type: firing.triggerType,
      parameters,
      rerun_of,
      ...(target.runnable && foreignChangeIn(target.runnable, firing.user)),
    }),
    startInput: { parameters, config_override },
    definition: fixDefinition(target.runnable, { ...parameters, prompt }),
    callable: target.runnable?.callable,
    config: { ...job.config, ...config_override },
    session: target.runnable?.session,
    executionEnvironment: job.execution_environment,
    mayOverrideEnvironment: job.may_override_environment,
  };
}
