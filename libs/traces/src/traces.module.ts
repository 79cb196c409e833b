import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IngestRepository } from './ingest/ingest.repository.js';
import { TraceIngestService } from './ingest/trace-ingest.service.js';
import { TraceEntity } from './trace.entity.js';
import { TraceRepository } from './reading/trace.repository.js';
import { TraceService } from './reading/trace.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([TraceEntity]), ExecutionsModule],
  providers: [IngestRepository, TraceIngestService, TraceRepository, TraceService],
  exports: [TraceIngestService, TraceService],
})
export class TracesModule {}
