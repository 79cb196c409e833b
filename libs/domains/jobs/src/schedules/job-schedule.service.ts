import { Database } from '@app/database';
import { Outbox } from '@app/dispatch';
import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { JobInstantService } from '../firing/job-instant.service.js';
import { jobScheduleChanged } from './job-schedule-changed.handler.js';
import { nextExecutionAt } from './job-schedule.js';
import type { Job, JobFields } from '../jobs/job.types.js';

/** The fields that decide when a job runs. */
const SCHEDULE = ['enabled', 'trigger_type', 'cron_schedule', 'cron_timezone'] as const satisfies (keyof JobFields)[];

type ScheduleColumns = Pick<Job, 'next_execution_at' | 'engine_schedule_id'>;

/** Keeps the schedules of jobs and their schedulers consistent with changes of the jobs. */
@Injectable()
export class JobScheduleService {
  constructor(
    private readonly instants: JobInstantService,
    private readonly outbox: Outbox,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns the schedule columns of a job; both are null without a schedule. */
  columnsOf(id: string, fields: JobFields): ScheduleColumns {
    const next_execution_at = nextExecutionAt(fields, this.clock.now());
    return { next_execution_at, engine_schedule_id: next_execution_at === null ? null : id };
  }

  /** Runs a write that may change the schedule of the job. Commits it together with the message about the change. */
  async announce<T>({ organizationId }: Scope, jobId: string, write: () => Promise<T>): Promise<T> {
    return this.database.transaction(async () => {
      const written = await write();
      await this.outbox.add(jobScheduleChanged, { organizationId, jobId });
      return written;
    });
  }

  /**
   * Returns the schedule columns that change with a job, which the caller has locked. Due instants of the old schedule
   * are recorded first, so that they are started.
   */
  async change(scope: Scope, before: Job, after: Job): Promise<Partial<ScheduleColumns>> {
    if (SCHEDULE.every((field) => before[field] === after[field])) return {};
    return this.announce(scope, before.id, async () => {
      await this.instants.recordBeforeChange(before);
      const columns = this.columnsOf(before.id, after);
      if (columns.engine_schedule_id === null) await this.instants.skipQueued(before.id);
      return columns;
    });
  }
}
