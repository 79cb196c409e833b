import { checkRequestedEnvironment, JobRunsService, mayOverride, WorkStops, type JobRun } from '@app/executions';
import {
  changedBy,
  ENVIRONMENT_SECRETS,
  invalid,
  mayHideSecrets,
  newJobId,
  newSigningSecret,
  rejectHiddenSecrets,
  restoreSecrets,
  type Caller,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { JobEnvironmentService } from '../triggers/job-environment.service.js';
import { jobFaults } from './job-rules.js';
import { JobScheduleService } from '../schedules/job-schedule.service.js';
import { jobHasNoWebhook, jobNotFound } from './job.errors.js';
import { JobRepository } from './job.repository.js';
import type { CreateJob, Job, JobFields, JobFilter, UpdateJob } from './job.types.js';
import { newWebhookToken } from '../webhooks/job-webhook-signature.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<JobFields, 'name' | 'trigger_type' | 'prompt_template'> = {
  description: null,
  enabled: true,
  cron_schedule: null,
  cron_timezone: 'UTC',
  planning_mode: 'predefined_agent',
  entity_type: null,
  entity_id: null,
  system_prompt: null,
  executor_type: 'auto',
  worker_queue_name: null,
  environment_name: null,
  config: {},
  execution_environment: {},
  webhook_signature: 'standard',
};

/**
 * Stores jobs. The resources that a job names need not exist. The rules between its fields (see `jobFaults`) always
 * hold; a request that breaks them is rejected with all of its faults.
 */
@Injectable()
export class JobService {
  constructor(
    private readonly jobs: JobRepository,
    private readonly environments: JobEnvironmentService,
    private readonly schedules: JobScheduleService,
    private readonly runs: JobRunsService,
    private readonly stops: WorkStops,
  ) {}

  /**
   * Throws `insufficient_scope` if the execution environment does more than add variables and the key lacks
   * `agents:write`.
   */
  async create(caller: Caller, request: CreateJob): Promise<Job> {
    const { webhook_secret = null, ...given } = request;
    const fields = { ...DEFAULTS, ...given };
    checkRules({ ...fields, webhook_secret });
    await this.environments.check(caller, fields);
    rejectHiddenSecrets(ENVIRONMENT_SECRETS, fields.execution_environment, ['execution_environment']);
    const id = newJobId();
    const job = {
      ...fields,
      id,
      ...this.schedules.columnsOf(id, fields),
      may_override_environment: mayOverride(caller),
      ...runsAs(caller),
      ...webhookOf({ ...fields, webhook_token: null, webhook_secret }),
      created_by: caller.userId,
      created_by_email: caller.userEmail,
      ...changedBy(caller),
    };
    const insert = (): Promise<Job> => this.jobs.insert(caller, job);
    return job.engine_schedule_id === null ? insert() : this.schedules.announce(caller, id, insert);
  }

  /** Newest first. */
  async list(scope: Scope, filter: JobFilter, page: Page): Promise<PageResult<Job>> {
    return this.jobs.list(scope, filter, page);
  }

  async read(scope: Scope, id: string): Promise<Job> {
    const job = await this.jobs.find(scope, id);
    if (job === undefined) throw jobNotFound();
    return job;
  }

  /** Returns the runs of the job, newest first. Throws `not_found` if there is no such job. */
  async listRuns(scope: Scope, id: string, page: Page): Promise<PageResult<JobRun>> {
    const job = await this.read(scope, id);
    return this.runs.list(scope, job.id, page);
  }

  /**
   * Checks the rules on the whole updated job. If the update changes what runs, checks the execution environment like
   * `create`: a key without `agents:write` must not use the secrets and servers that another key stored with another
   * prompt or target, and must not replace them. Once a job is disabled, no trigger starts it, also none that began
   * before. Hidden secret values keep the stored ones, see `restoreSecrets`.
   */
  async update(caller: Caller, id: string, sent: UpdateJob): Promise<Job> {
    const updated = await this.jobs.change(caller, id, async (before) => {
      const changes = withStoredSecrets(before, sent);
      const after = { ...before, ...changes };
      checkRules({ ...after, webhook_secret: changes.webhook_secret ?? null });
      const schedule = await this.schedules.change(caller, before, after);
      if (after.enabled !== before.enabled) await this.stopUnless(after.enabled, caller, id);
      const keepsWhatRuns = WHAT_RUNS.every((field) => isEqual(before[field], after[field]));
      if (!keepsWhatRuns) {
        // A key must not remove what it must not store: if a name in `secrets` is removed, its value is no longer
        // redacted.
        checkRequestedEnvironment(caller, before.execution_environment);
        await this.environments.check(caller, after);
      }
      return {
        ...changes,
        ...webhookOf(after),
        ...schedule,
        ...(keepsWhatRuns ? {} : { ...runsAs(caller), may_override_environment: mayOverride(caller) }),
        // A caller with `agents:write` that sends the stored environment again approves it.
        ...(keepsWhatRuns && changes.execution_environment !== undefined && mayOverride(caller)
          ? { may_override_environment: true }
          : {}),
        ...changedBy(caller),
      };
    });
    if (updated === undefined) throw jobNotFound();
    return updated;
  }

  /**
   * Replaces the secret of the webhook and keeps its token. Calls signed with the old secret are rejected at once.
   * Throws `conflict` if the job has no webhook.
   */
  async rotateWebhookSecret(caller: Caller, id: string): Promise<Job> {
    const rotated = await this.jobs.change(caller, id, ({ webhook_secret: before }) => {
      if (before === null) throw jobHasNoWebhook();
      return { webhook_secret: newSigningSecret(), ...changedBy(caller) };
    });
    if (rotated === undefined) throw jobNotFound();
    return rotated;
  }

  /** Deletes the job. Its executions remain; no trigger starts a further one. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.schedules.announce(scope, id, async () => {
      if (!(await this.jobs.delete(scope, id))) throw jobNotFound();
      await this.stops.stop(scope, id);
    });
  }

  private async stopUnless(isEnabled: boolean, scope: Scope, id: string): Promise<void> {
    await (isEnabled ? this.stops.allow(scope, id) : this.stops.stop(scope, id));
  }
}

/**
 * The fields that decide what a job runs, where, and for whom: a job that starts by hand runs for the caller, one that
 * starts by schedule or webhook for `runs_as`. Whoever sets the secret of a webhook can call it, so the calls must not
 * act for another user.
 */
const WHAT_RUNS = [
  'trigger_type',
  ...(['prompt_template', 'system_prompt', 'planning_mode', 'entity_type', 'entity_id', 'config'] as const),
  ...(['execution_environment', 'executor_type', 'worker_queue_name', 'environment_name'] as const),
  ...(['webhook_signature', 'webhook_secret'] as const),
] as const satisfies (keyof Job)[];

function withStoredSecrets({ execution_environment: stored }: Job, sent: UpdateJob): UpdateJob {
  const { execution_environment: environment } = sent;
  if (!mayHideSecrets(environment)) return sent;
  const restored = restoreSecrets(ENVIRONMENT_SECRETS, environment, stored, ['execution_environment']);
  return { ...sent, execution_environment: restored };
}

function runsAs(caller: Caller): Pick<Job, 'runs_as' | 'runs_as_email'> {
  return { runs_as: caller.userId, runs_as_email: caller.userEmail };
}

/** Compares JSON values. Another order of keys counts as a change. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function checkRules(job: JobFields & Pick<Job, 'webhook_secret'>): void {
  const faults = jobFaults(job);
  if (faults.length > 0) throw invalid(faults);
}

type JobWebhook = Pick<Job, 'webhook_token' | 'webhook_secret'>;

/**
 * Returns the webhook of a job, which it has only while its trigger type is webhook. Each change to that type creates a
 * new webhook.
 */
function webhookOf(job: JobWebhook & Pick<JobFields, 'trigger_type'>): JobWebhook {
  if (job.trigger_type !== 'webhook') return { webhook_token: null, webhook_secret: null };
  return {
    webhook_token: job.webhook_token ?? newWebhookToken(),
    webhook_secret: job.webhook_secret ?? newSigningSecret(),
  };
}
