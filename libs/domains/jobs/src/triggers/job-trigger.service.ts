import { UserService } from '@app/identity';
import type { Caller, Scope } from '@app/kernel';
import type { RunPreview } from '@app/orchestration';
import { Injectable } from '@nestjs/common';
import { JobStarter, type Firing } from './job-starter.js';
import { jobNotFound } from '../jobs/job.errors.js';
import { JobRepository } from '../jobs/job.repository.js';
import type { Job, RerunJob, TriggeredJob, TriggerJob } from '../jobs/job.types.js';

/** Starts jobs for the caller, or for the user who last changed what the job runs. */
@Injectable()
export class JobTriggerService {
  constructor(
    private readonly jobs: JobRepository,
    private readonly starter: JobStarter,
    private readonly users: UserService,
  ) {}

  /** Throws `conflict` if the job is disabled. See `JobStarter`. */
  async trigger(caller: Caller, id: string, request: TriggerJob): Promise<TriggeredJob> {
    const job = await this.jobs.find(caller, id);
    if (job === undefined) throw jobNotFound();
    return this.starter.fire(caller, job, { ...request, triggerType: 'manual', metadata: {}, user: caller });
  }

  /** Tells what `trigger` would do, also for a disabled job. Starts and stores nothing. Throws `not_found`. */
  async preview(caller: Caller, id: string, request: TriggerJob): Promise<RunPreview> {
    const job = await this.jobs.find(caller, id);
    if (job === undefined) throw jobNotFound();
    return this.starter.preview(caller, job, { ...request, triggerType: 'manual', metadata: {}, user: caller });
  }

  /**
   * Repeats an execution for the caller, with the current version of its job. Throws `not_found` if the job does not
   * exist, and the errors of `trigger`.
   */
  async rerun(caller: Caller, id: string, request: RerunJob): Promise<TriggeredJob> {
    const job = await this.jobs.find(caller, id);
    if (job === undefined) throw jobNotFound();
    const metadata = { rerun_of: request.rerunOf };
    return this.starter.fire(caller, job, { ...request, triggerType: 'manual', metadata, user: caller });
  }

  /**
   * Starts the job for the user who last changed what it runs, so that nobody can store a prompt that runs for another
   * user. If the user is suspended, the execution fails. See `JobStarter`.
   */
  async fireForAuthor(scope: Scope, job: Job, firing: Omit<Firing, 'user' | 'userRefusal'>): Promise<TriggeredJob> {
    return this.starter.fire(scope, job, { ...firing, ...(await this.authorOf(scope, job)) });
  }

  private async authorOf(scope: Scope, job: Job): Promise<Pick<Firing, 'user' | 'userRefusal'>> {
    const userId = job.runs_as ?? job.updated_by;
    const author = await this.users.find(scope, userId);
    if (author === undefined) {
      const user = { userId, userName: null, userEmail: job.runs_as_email, userAvatar: null };
      return { user, userRefusal: 'The user for whom the job runs does not exist' };
    }
    const { name: userName, email: userEmail, avatar_url: userAvatar } = author;
    const user = { userId, userName, userEmail, userAvatar };
    if (author.status === 'active') return { user };
    return { user, userRefusal: `The user for whom the job runs is suspended: ${userName}` };
  }
}
