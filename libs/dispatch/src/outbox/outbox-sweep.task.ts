import { DispatchConfig } from '@app/config';
import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { PeriodicTask } from '../periodic/periodic-task.js';
import { OutboxRepository } from './outbox.repository.js';
import { Relay } from './relay.js';

const BATCH = 200;

/** Hands on what the process that committed it did not: it died, or Redis was away. */
@Injectable()
export class OutboxSweepTask extends PeriodicTask {
  override readonly name = 'outbox.sweep';
  override readonly intervalMs: number;
  private readonly logger = createLogger('relay');

  constructor(
    private readonly messages: OutboxRepository,
    private readonly relay: Relay,
    private readonly clock: Clock,
    config: DispatchConfig,
  ) {
    super();
    this.intervalMs = config.reconcileIntervalMs;
  }

  override async run(signal: AbortSignal): Promise<void> {
    for (let full = true; full && !signal.aborted;) {
      const overdue = await this.messages.takeOverdue(this.clock.now(), BATCH);
      const handled = await this.relay.relay(overdue);
      if (overdue.length > 0) this.logger.info({ overdue: overdue.length, handled }, 'overdue messages taken up');
      full = overdue.length === BATCH && handled === BATCH;
    }
  }
}
