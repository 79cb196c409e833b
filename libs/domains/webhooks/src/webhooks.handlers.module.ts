import { DispatchConfig, provideConfig, RetentionConfig, WebhooksConfig } from '@app/config';
import { DispatchHandlersModule } from '@app/dispatch';
import { EventsHandlersModule, EventsModule } from '@app/events';
import { ExecutionsModule } from '@app/executions';
import { TracesModule } from '@app/traces';
import { Module } from '@nestjs/common';
import { AttemptRecorder } from './deliveries/attempt-recorder.js';
import { DeliveryAttempts } from './deliveries/delivery-attempts.js';
import { DeliveryBacklog } from './deliveries/delivery-backlog.js';
import { DeliveryPlaces } from './deliveries/delivery-places.js';
import { DeliveryRetentionTask } from './deliveries/delivery-retention.task.js';
import { DeliverySender } from './deliveries/delivery-sender.js';
import { DeliveryTraces } from './deliveries/delivery-traces.js';
import { DeliverySweepTask } from './deliveries/delivery-sweep.task.js';
import { DeliveryProcessor } from './deliveries/delivery.processor.js';
import { WebhookFollowTask } from './webhook-follow.task.js';
import { WebhooksModule } from './webhooks.module.js';

/** Background work for webhooks, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, EventsHandlersModule, EventsModule, ExecutionsModule, TracesModule, WebhooksModule],
  providers: [
    provideConfig(DispatchConfig),
    provideConfig(RetentionConfig),
    provideConfig(WebhooksConfig),
    DeliverySender,
    DeliveryTraces,
    AttemptRecorder,
    DeliveryAttempts,
    DeliveryBacklog,
    DeliveryPlaces,
    DeliveryProcessor,
    DeliverySweepTask,
    DeliveryRetentionTask,
    WebhookFollowTask,
  ],
})
export class WebhooksHandlersModule {}
