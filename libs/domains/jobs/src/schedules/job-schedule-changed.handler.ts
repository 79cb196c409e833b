import { OutboxTopic, TopicHandler } from '@app/dispatch';
import { Injectable } from '@nestjs/common';
import { JobSchedulers } from './job-schedulers.js';
import { JobRepository } from '../jobs/job.repository.js';

interface JobScheduleChanged {
  readonly organizationId: string;
  readonly jobId: string;
}

/** The schedule of a job was added, changed or removed. */
export const jobScheduleChanged = new OutboxTopic<JobScheduleChanged>('job.schedule_changed');

/** Makes the scheduler of a job match the row of the job. Idempotent, and independent of the order of the messages. */
@Injectable()
export class JobScheduleChangedHandler extends TopicHandler<JobScheduleChanged> {
  override readonly topic = jobScheduleChanged;

  constructor(
    private readonly jobs: JobRepository,
    private readonly schedulers: JobSchedulers,
  ) {
    super();
  }

  override async handle({ jobId, ...scope }: JobScheduleChanged): Promise<void> {
    const job = await this.jobs.find(scope, jobId);
    if (job === undefined || job.engine_schedule_id === null) await this.schedulers.remove(jobId);
    else await this.schedulers.set(job);
  }
}
