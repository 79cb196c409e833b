import { Clock } from '@app/kernel';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job as QueueJob } from 'bullmq';
import { JobFiringService } from './job-firing.service.js';
import { JobInstantService } from './job-instant.service.js';
import { JOB_SCHEDULES, type WakeUp } from '../schedules/job-schedulers.js';

/** Time within which this process should start the instants that it recorded. Later, other dispatchers take them. */
const HEAD_START_MS = 3000;

/**
 * Starts a job at its instant. Wake-ups that arrive early or twice do nothing, because no instant is due. If a wake-up
 * is late, `JobFiringTask` starts the instant.
 */
@Processor(JOB_SCHEDULES, { concurrency: 8 })
export class JobScheduleProcessor extends WorkerHost {
  constructor(
    private readonly instants: JobInstantService,
    private readonly firing: JobFiringService,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async process({ data }: QueueJob<WakeUp>): Promise<void> {
    const dueAt = new Date(this.clock.millis() + HEAD_START_MS);
    for (const instant of await this.instants.recordDueOf(data.jobId, dueAt)) await this.firing.start(instant);
  }
}
