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

  /**
   * Relays batches until one is not full, or none of its messages succeeds: while a store is unreachable, the pause
   * between two runs limits the attempts.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { claimed, handled } = await this.relay.relayOverdue(BATCH_SIZE);
      if (claimed < BATCH_SIZE || handled === 0) return;
    }
  }
}
