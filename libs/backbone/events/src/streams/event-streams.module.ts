import { provideConfig, StreamConfig } from '@app/config';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { EventStream } from './event-stream.js';
import { EventsModule } from '../events.module.js';
import { FinalExecutions } from './final-executions.js';
import { StreamBudget } from './stream-budget.js';
import { StreamMetrics } from './stream-metrics.js';

/** The streams of events to clients. Imported once per process, by the domain of executions. */
@Module({})
export class EventStreamsModule {
  /** `useExisting` is a provider that `module` exports. */
  static of(module: Type, useExisting: Type<FinalExecutions>): DynamicModule {
    return {
      module: EventStreamsModule,
      imports: [EventsModule, module],
      providers: [
        { provide: FinalExecutions, useExisting },
        provideConfig(StreamConfig),
        StreamBudget,
        EventStream,
        StreamMetrics,
      ],
      exports: [EventStream],
    };
  }
}
