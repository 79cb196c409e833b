import { WorkerQueueService } from '@app/environments';
import { CurrentCaller, LongRead, RequireScope, Returns, ReturnsList, Summary, toPage } from '@app/http';
import { withoutUndefined, type Caller, type PageResult } from '@app/kernel';
import { QueueSeriesService } from '@app/orchestration';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { QueueLoadResponse, QueueLoadSeriesQuery, QueueLoadSeriesResponse } from './dto/queue-load.dto.js';
import { ListWorkerQueuesQuery } from './dto/worker-queue.request.dto.js';
import { toQueueLoadSeriesResponse } from './queue-load.mapper.js';
import { QueueLoadPresenter } from './queue-load.presenter.js';
import { toWorkerQueueFilter } from './worker-queue.mapper.js';

@ApiTags('worker-queues')
@Controller('api/v1/worker-queue-load')
export class QueueLoadController {
  constructor(
    private readonly queues: WorkerQueueService,
    private readonly presenter: QueueLoadPresenter,
    private readonly loads: QueueSeriesService,
  ) {}

  @Get()
  @Summary('Lists worker queues with what waits and runs in them and how many workers they have.')
  @RequireScope('runners:read')
  @ReturnsList(QueueLoadResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListWorkerQueuesQuery,
  ): Promise<PageResult<QueueLoadResponse>> {
    return this.presenter.page(caller, await this.queues.list(caller, toWorkerQueueFilter(query), toPage(query)));
  }

  /**
   * The period has at most 8 days, as long as samples are kept, and is extended to whole buckets. The load is sampled every
   * 15 seconds.
   */
  @Get('series')
  @Summary('Returns the load of worker queues in each part of a period.')
  @RequireScope('runners:read')
  @LongRead()
  @Returns(QueueLoadSeriesResponse)
  async series(
    @CurrentCaller() caller: Caller,
    @Query() { from, to, bucket_seconds, queue_id }: QueueLoadSeriesQuery,
  ): Promise<QueueLoadSeriesResponse> {
    const request = withoutUndefined({ from, to, bucketSeconds: bucket_seconds, queueId: queue_id });
    return toQueueLoadSeriesResponse(await this.loads.read(caller, request));
  }
}
