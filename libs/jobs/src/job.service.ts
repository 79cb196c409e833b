import { AgentService } from '@app/agents';
import { Database } from '@app/database';
import {
  checkBroughtEnvironment,
  JobRunsService,
  type ExecutionType,
  type JobCounts,
  type JobRun,
} from '@app/executions';
import { Clock, entryOf, invalid, newJobId, type Caller, type Listed, type Page, type Scope } from '@app/kernel';
import { TeamService } from '@app/teams';
import { Injectable } from '@nestjs/common';
import { jobFaults } from './job-rules.js';
import { nextInstant } from './job-schedule.js';
import { executionTypeOf } from './job-target.service.js';
import { jobHasNoWebhook, jobNotFound } from './job.errors.js';
import { JobRepository } from './job.repository.js';
import type { CreateJob, Job, JobFields, JobFilter, StoredJob, UpdateJob } from './job.types.js';
import { newWebhookSecret, newWebhookToken } from './webhook-signature.js';

/** What a job is where the client does not say. */
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
};

/**
 * Jobs as they are stored, with what is known of their runs. What a job names need not exist; the rules between its own
 * fields (see `jobFaults`) hold at any time, and faults are told all at once. A job of another organisation is not found.
 */
@Injectable()
export class JobService {
  constructor(
    private readonly jobs: JobRepository,
    private readonly runs: JobRunsService,
    private readonly agents: AgentService,
    private readonly teams: TeamService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** What webhook calls of the job start later, they start for its maker: the person the caller's key acts for. */
  async create(caller: Caller, request: CreateJob): Promise<Job> {
    checkBroughtEnvironment(caller, request.execution_environment);
    const fields = { ...DEFAULTS, ...request };
    checkRules(fields);
    const stored = await this.jobs.insert(caller, {
      ...fields,
      id: newJobId(),
      engine_schedule_id: null,
      ...webhookOf({ webhook_token: null, webhook_secret: null }, fields),
      created_by: caller.userId,
      created_by_email: caller.userEmail,
      created_at: this.clock.now(),
      ...this.change(caller),
    });
    return this.complete(caller, stored);
  }

  /** Newest first. */
  async list(scope: Scope, filter: JobFilter, page: Page): Promise<Listed<Job>> {
    const { items, total } = await this.jobs.list(scope, filter, page);
    return { items: await this.completeAll(scope, items), total };
  }

  async read(scope: Scope, id: string): Promise<Job> {
    const job = await this.jobs.find(scope, id);
    if (job === undefined) throw jobNotFound();
    return this.complete(scope, job);
  }

  /** The rules hold for the job as it is afterwards, whichever of its fields the update names. */
  async update(caller: Caller, id: string, changes: UpdateJob): Promise<Job> {
    checkBroughtEnvironment(caller, changes.execution_environment);
    const updated = await this.database.transaction(async () => {
      const before = await this.jobs.lock(caller, id);
      if (before === undefined) throw jobNotFound();
      const after = { ...before, ...changes };
      checkRules(after);
      return this.jobs.update(caller, id, { ...changes, ...webhookOf(before, after), ...this.change(caller) });
    });
    if (updated === undefined) throw jobNotFound();
    return this.complete(caller, updated);
  }

  /**
   * The webhook's address stays; only what its calls are signed with changes, at once. A conflict where the job is not
   * triggered by a webhook.
   */
  async rotateWebhookSecret(caller: Caller, id: string): Promise<Job> {
    const rotated = await this.database.transaction(async () => {
      const before = await this.jobs.lock(caller, id);
      if (before === undefined) throw jobNotFound();
      if (before.webhook_secret === null) throw jobHasNoWebhook();
      return this.jobs.update(caller, id, { webhook_secret: newWebhookSecret(), ...this.change(caller) });
    });
    if (rotated === undefined) throw jobNotFound();
    return this.complete(caller, rotated);
  }

  /** Its executions stay. */
  async delete(scope: Scope, id: string): Promise<void> {
    if (!(await this.jobs.delete(scope, id))) throw jobNotFound();
  }

  /** The job's runs, newest first. */
  async history(scope: Scope, id: string, page: Page): Promise<Listed<JobRun>> {
    if ((await this.jobs.find(scope, id)) === undefined) throw jobNotFound();
    return this.runs.list(scope, id, page);
  }

  private change(caller: Caller): Pick<StoredJob, 'updated_by' | 'updated_by_email' | 'updated_at'> {
    return { updated_by: caller.userId, updated_by_email: caller.userEmail, updated_at: this.clock.now() };
  }

  private async complete(scope: Scope, job: StoredJob): Promise<Job> {
    return this.completed(job, await this.knownOf(scope, [job]));
  }

  private async completeAll(scope: Scope, jobs: readonly StoredJob[]): Promise<Job[]> {
    const known = await this.knownOf(scope, jobs);
    return jobs.map((job) => this.completed(job, known));
  }

  /** Four look-ups, however many jobs there are. */
  private async knownOf(scope: Scope, jobs: readonly StoredJob[]): Promise<KnownOfJobs> {
    const ids = jobs.map(({ id }) => id);
    return {
      counts: await this.runs.countsOf(scope, ids),
      histories: await this.runs.historyOf(scope, ids),
      agentNames: await this.agents.namesOf(scope, entityIdsOf(jobs, 'agent')),
      teamNames: await this.teams.namesOf(scope, entityIdsOf(jobs, 'team')),
    };
  }

  private completed(job: StoredJob, { counts, histories, agentNames, teamNames }: KnownOfJobs): Job {
    const names = executionTypeOf(job) === 'team' ? teamNames : agentNames;
    return {
      ...job,
      status: job.enabled ? 'active' : 'paused',
      entity_name: names.get(job.entity_id ?? '') ?? null,
      next_execution_at: nextExecutionAt(job, this.clock.now()),
      counts: entryOf(counts, job.id),
      history: entryOf(histories, job.id),
    };
  }
}

/** What others know of some jobs: by job, and by agent or team. */
interface KnownOfJobs {
  readonly counts: ReadonlyMap<string, JobCounts>;
  readonly histories: ReadonlyMap<string, readonly JobRun[]>;
  readonly agentNames: ReadonlyMap<string, string>;
  readonly teamNames: ReadonlyMap<string, string>;
}

function checkRules(job: JobFields): void {
  const faults = jobFaults(job);
  if (faults.length > 0) throw invalid(faults);
}

function entityIdsOf(jobs: readonly StoredJob[], type: ExecutionType): string[] {
  const ids = jobs.filter((job) => executionTypeOf(job) === type).flatMap(({ entity_id }) => entity_id ?? []);
  return [...new Set(ids)];
}

function nextExecutionAt(job: StoredJob, now: Date): Date | null {
  const { enabled, trigger_type, cron_schedule, cron_timezone } = job;
  if (!enabled || trigger_type !== 'cron' || cron_schedule === null) return null;
  return nextInstant(cron_schedule, cron_timezone, now);
}

type Webhook = Pick<StoredJob, 'webhook_token' | 'webhook_secret'>;

/** A job has a webhook exactly while its trigger type is webhook; one that becomes such a job anew gets a new one. */
function webhookOf(before: Webhook, after: Pick<JobFields, 'trigger_type'>): Webhook {
  if (after.trigger_type !== 'webhook') return { webhook_token: null, webhook_secret: null };
  return {
    webhook_token: before.webhook_token ?? newWebhookToken(),
    webhook_secret: before.webhook_secret ?? newWebhookSecret(),
  };
}
