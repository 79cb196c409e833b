import { DispatchConfig, provideConfig, RetentionConfig } from '@app/config';
import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { AggregationRepository } from './analytics/aggregation.repository.js';
import { AggregationTask } from './analytics/aggregation.task.js';
import { DeliveryMetrics } from './worker-deliveries/delivery-metrics.js';
import { DeliveryReconcileTask } from './worker-deliveries/delivery-reconcile.task.js';
import { ExecutionsModule } from './executions.module.js';
import { LeaseReapTask } from './leases/lease-reap.task.js';
import { ExecutionRetentionRepository } from './retention/execution-retention.repository.js';
import { ExecutionRetentionTask } from './retention/execution-retention.task.js';
import { TurnSweepTask } from './session-turns/turn-sweep.task.js';
import { WorkStopPruneTask } from './stops/work-stop-prune.task.js';

/** The periodic tasks of executions, run by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, ExecutionsModule],
  providers: [
    provideConfig(DispatchConfig),
    provideConfig(RetentionConfig),
    AggregationRepository,
    AggregationTask,
    ExecutionRetentionRepository,
    ExecutionRetentionTask,
    LeaseReapTask,
    TurnSweepTask,
    WorkStopPruneTask,
    DeliveryMetrics,
    DeliveryReconcileTask,
  ],
})
export class ExecutionsHandlersModule {}
