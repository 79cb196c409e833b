import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTasks } from '../periodic/periodic-tasks.js';
import { Relay } from './relay.js';

const BATCH_SIZE = 200;

/** Relays messages that are due: those that the committing process did not relay, and those planned for later. */
@Injectable()
export class OutboxSweepTask implements OnApplicationBootstrap {
  constructor(
    private readonly relay: Relay,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.everyReconcileInterval('outbox.sweep', (signal) => this.run(signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.relay.relayOverdue(BATCH_SIZE)) === BATCH_SIZE);
  }
}
