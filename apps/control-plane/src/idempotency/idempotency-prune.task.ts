import { PeriodicTask } from '@app/dispatch';
import { IdempotencyStore } from '@app/idempotency';
import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';

const BATCH_SIZE = 500;

/** Deletes stored responses after a day. It is part of the app because foundation libs have no periodic tasks. */
@Injectable()
export class IdempotencyPruneTask {
  constructor(private readonly store: IdempotencyStore) {}

  @PeriodicTask(CronExpression.EVERY_10_MINUTES, 'idempotency.prune')
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.store.prune(BATCH_SIZE)) === BATCH_SIZE);
  }
}
