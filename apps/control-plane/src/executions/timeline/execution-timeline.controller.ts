import { WorkerQueueService } from '@app/environments';
import { TimelineService } from '@app/executions';
import { CurrentCaller, RequireScope, Returns, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { PolicyDecisionService } from '@app/policies';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TimelineResponse } from './dto/execution-timeline.dto.js';
import { toTimelineResponse } from './execution-timeline.mapper.js';

/** What happened to an execution. */
@ApiTags('executions')
@Controller('api/v1/executions/:execution_id/timeline')
export class ExecutionTimelineController {
  constructor(
    private readonly timelines: TimelineService,
    private readonly queues: WorkerQueueService,
    private readonly decisions: PolicyDecisionService,
  ) {}

  @Get()
  @Summary('Returns the attempts of an execution and the changes of its status, with who made them.')
  @RequireScope('tasks:read')
  @Returns(TimelineResponse)
  async read(@CurrentCaller() caller: Caller, @Param('execution_id') id: string): Promise<TimelineResponse> {
    const timeline = await this.timelines.read(caller, id);
    const { worker_queue_id: queueId } = timeline;
    const newest = { skip: 0, limit: 1, total: false };
    const [queue, decisions] = await Promise.all([
      queueId === null ? undefined : this.queues.find(caller, queueId),
      this.decisions.list(caller, { execution_id: timeline.id }, newest),
    ]);
    const policyDecisionId = decisions.items[0]?.id ?? null;
    return toTimelineResponse(timeline, { queueName: queue?.name ?? null, policyDecisionId });
  }
}
