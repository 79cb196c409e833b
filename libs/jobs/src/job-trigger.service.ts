import { AgentService } from '@app/agents';
import { ExecutionService, type ExecutionOrigin, type ExecutionUser } from '@app/executions';
import type { Caller, JsonObject, Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { executionTypeOf, JobTargetService, type JobTarget } from './job-target.service.js';
import { renderTemplate } from './job-template.js';
import { jobDisabled, jobNotFound, promptTooLong } from './job.errors.js';
import { JobRepository } from './job.repository.js';
import type { StoredJob, TriggeredJob, TriggerJob } from './job.types.js';

/** One reason for a job to fire. */
export interface Firing extends TriggerJob {
  readonly triggerType: 'manual' | 'webhook';
  /** Shown in the job's history. */
  readonly metadata: JsonObject;
  readonly user: ExecutionUser;
}

/** Makes an execution of a job, for whichever reason it fires. */
@Injectable()
export class JobTriggerService {
  private readonly logger = createLogger('jobs');

  constructor(
    private readonly jobs: JobRepository,
    private readonly targets: JobTargetService,
    private readonly agents: AgentService,
    private readonly executions: ExecutionService,
  ) {}

  async trigger(caller: Caller, id: string, request: TriggerJob): Promise<TriggeredJob> {
    const job = await this.jobs.find(caller, id);
    if (job === undefined) throw jobNotFound();
    return this.fire(caller, job, { ...request, triggerType: 'manual', metadata: {}, user: caller });
  }

  /** What the job names is looked up now; where something is missing, the execution fails at once and says so. */
  async fire(scope: Scope, job: StoredJob, firing: Firing): Promise<TriggeredJob> {
    if (!job.enabled) throw jobDisabled();
    const target = await this.targets.find(scope, job);
    const origin = originOf(job, firing, target);
    const { place, missing } = target;
    const execution =
      place === undefined
        ? await this.executions.startFailed(scope, origin, missing.join('; '))
        : await this.executions.start(scope, { ...origin, place });
    if (execution.status !== 'failed' && target.agent !== undefined) await this.agents.noteRun(scope, target.agent);
    const facts = { job_id: job.id, trigger_type: firing.triggerType, status: execution.status };
    this.logger.info(missing.length === 0 ? facts : { ...facts, missing }, 'job fired');
    return { job_id: job.id, execution };
  }
}

function originOf(job: StoredJob, firing: Firing, target: JobTarget): ExecutionOrigin {
  const { parameters = {}, config_override = {} } = firing;
  const prompt = renderTemplate(job.prompt_template, parameters);
  if (prompt === undefined) throw promptTooLong();
  return {
    executionType: executionTypeOf(job),
    entityId: job.entity_id,
    entityName: (target.agent ?? target.team)?.name ?? null,
    prompt,
    systemPrompt: job.system_prompt,
    user: firing.user,
    jobId: job.id,
    triggerType: firing.triggerType,
    triggerMetadata: firing.metadata,
    executionMetadata: { job_id: job.id, job_name: job.name, trigger_type: firing.triggerType, parameters },
    config: { ...job.config, ...config_override },
    executionEnvironment: job.execution_environment,
  };
}
