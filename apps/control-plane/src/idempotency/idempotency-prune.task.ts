import { PeriodicTask } from '@app/dispatch';
import { IdempotencyStore } from '@app/http';
import { Injectable } from '@nestjs/common';

/** Forgets the answers whose day is over. */
@Injectable()
export class IdempotencyPruneTask extends PeriodicTask {
  override readonly name = 'idempotency.prune';
  override readonly intervalMs = 600_000;

  constructor(private readonly store: IdempotencyStore) {
    super();
  }

  override async run(): Promise<void> {
    await this.store.prune();
  }
}
