import { provideConfig, TracingConfig } from '@app/config';
import { ExecutionsModule, ExecutionTraces } from '@app/executions';
import { TeamsModule } from '@app/teams';
import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExecutionTraceRecorder } from './platform/execution-trace.recorder.js';
import { IngestRepository } from './ingest/ingest.repository.js';
import { SpanAdmission } from './ingest/span-admission.js';
import { SpanClosingService } from './ingest/span-closing.service.js';
import { TraceIngestService } from './ingest/trace-ingest.service.js';
import { PlatformSpansService } from './platform/platform-spans.service.js';
import { SpanExport } from './platform/span-export.js';
import { AnnouncedTraces } from './reading/announced-traces.js';
import { TraceEntity } from './trace.entity.js';
import { TraceRepository } from './reading/trace.repository.js';
import { TraceService } from './reading/trace.service.js';

/** Global, because executions store their spans with it, while traces depend on executions. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([TraceEntity]), ExecutionsModule, TeamsModule],
  providers: [
    provideConfig(TracingConfig),
    IngestRepository,
    SpanAdmission,
    TraceIngestService,
    SpanClosingService,
    TraceRepository,
    AnnouncedTraces,
    TraceService,
    PlatformSpansService,
    SpanExport,
    { provide: ExecutionTraces, useClass: ExecutionTraceRecorder },
  ],
  exports: [TraceIngestService, TraceService, PlatformSpansService, ExecutionTraces],
})
export class TracesModule {}
