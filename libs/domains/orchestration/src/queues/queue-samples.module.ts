import { EnvironmentsModule } from '@app/environments';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { QueueSampleEntity } from './queue-sample.entity.js';
import { QueueSampleRepository } from './queue-sample.repository.js';
import { QueueSeriesService } from './queue-series.service.js';

/** Samples of the load of worker queues. They belong to runs because they combine executions and workers. */
@Module({
  imports: [TypeOrmModule.forFeature([QueueSampleEntity]), EnvironmentsModule],
  providers: [QueueSampleRepository, QueueSeriesService],
  exports: [QueueSampleRepository, QueueSeriesService],
})
export class QueueSamplesModule {}
