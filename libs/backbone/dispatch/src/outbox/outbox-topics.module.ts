import { Module, type DynamicModule } from '@nestjs/common';
import { DispatchModule } from '../dispatch.module.js';
import { DeclaredTopics, type OutboxTopic } from './outbox-topic.js';

/** The dispatch module, for a module whose services add messages of the given topics to the outbox. */
@Module({})
export class OutboxTopicsModule {
  static forFeature(...topics: readonly OutboxTopic<object>[]): DynamicModule {
    const declaration = `outbox topics ${topics.map(({ name }) => name).join(', ')}`;
    return {
      module: OutboxTopicsModule,
      imports: [DispatchModule],
      providers: [{ provide: declaration, useValue: new DeclaredTopics(topics) }],
      exports: [DispatchModule],
    };
  }
}
