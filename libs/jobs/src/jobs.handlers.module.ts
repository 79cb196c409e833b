import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { JobsModule } from './jobs.module.js';
import { PassedSchedulesTask } from './passed-schedules.task.js';
import { WebhookMessagePruneTask } from './webhook-message-prune.task.js';
import { WebhookMessageRepository } from './webhook-message.repository.js';

/** Background work for jobs, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, JobsModule],
  providers: [PassedSchedulesTask, WebhookMessageRepository, WebhookMessagePruneTask],
})
export class JobsHandlersModule {}
