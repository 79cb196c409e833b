import { Database } from '@app/database';
import { Outbox } from '@app/dispatch';
import { Clock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from './delivery.repository.js';
import { executionFinished } from '../executions/execution.topics.js';

const BATCH = 500;

/** Those of the queues that exist. Whoever owns the queues knows. */
export type ExistingQueues = (queueIds: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Ends what waits in queues that are gone. A queue with work is not deleted, but a start chooses its queue some moments
 * before it is committed, and takes no lock on the way: a queue that is deleted just then never sees that work.
 */
@Injectable()
export class StrandedWorkService {
  private readonly logger = createLogger('reconcile');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Ids of queues are never used again: one that is not there after the work was seen is gone for good. */
  async failStranded(existing: ExistingQueues, signal: AbortSignal): Promise<void> {
    const queueIds = await this.deliveries.queuesWaitedIn();
    if (queueIds.length === 0) return;
    const known = await existing(queueIds);
    for (const queueId of queueIds) {
      while (!signal.aborted && !known.has(queueId) && (await this.failSome(queueId)) === BATCH);
    }
  }

  /** The end of the executions and the messages that they ended are one commit. */
  private async failSome(queueId: string): Promise<number> {
    const failed = await this.database.transaction(async () => {
      const reason = `The worker queue ${queueId} does not exist any more`;
      const executions = await this.deliveries.failWaitingIn(queueId, reason, this.clock.now(), BATCH);
      await this.outbox.add(executionFinished, ...executions.map((ref) => ({ ...ref, from: 'pending' as const })));
      return executions.length;
    });
    if (failed > 0) this.logger.warn({ queue_id: queueId, executions: failed }, 'work of a deleted queue has failed');
    return failed;
  }
}
