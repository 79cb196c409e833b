import { PeriodicTasks } from '@app/dispatch';
import { IdempotencyStore } from '@app/idempotency';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';

/** Deletes stored responses after a day. It is part of the app because foundation libs have no periodic tasks. */
@Injectable()
export class IdempotencyPruneTask {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly tasks: PeriodicTasks,
  ) {}

  @Cron(CronExpression.EVERY_10_MINUTES, { name: 'idempotency.prune', waitForCompletion: true })
  async schedule(): Promise<void> {
    await this.tasks.run('idempotency.prune', async () => void (await this.store.prune()));
  }
}
