import { WorkerQueueService } from '@app/environments';
import type { Timeline } from '@app/executions';
import type { Scope } from '@app/kernel';
import { PolicyDecisionService } from '@app/policies';
import { Injectable } from '@nestjs/common';
import type { TimelineResponse } from './dto/execution-timeline.dto.js';
import { toTimelineResponse } from './execution-timeline.mapper.js';

/** Composes the timeline of an execution with the name of its queue and its newest policy decision. */
@Injectable()
export class ExecutionTimelinePresenter {
  constructor(
    private readonly queues: WorkerQueueService,
    private readonly decisions: PolicyDecisionService,
  ) {}

  async one(scope: Scope, timeline: Timeline): Promise<TimelineResponse> {
    const { worker_queue_id: queueId } = timeline;
    const [queue, decisionId] = await Promise.all([
      queueId === null ? undefined : this.queues.find(scope, queueId),
      this.decisions.newestIdOf(scope, timeline.id),
    ]);
    return toTimelineResponse(timeline, { queueName: queue?.name ?? null, policyDecisionId: decisionId ?? null });
  }
}
