import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WebhookRepository } from '../webhook.repository.js';
import type { Webhook } from '../webhook.types.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { headersOf } from './delivery-request.js';
import { DeliverySender } from './delivery-sender.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { DeliveryTraces, traceHeadersOf, type MadeAttempt, type TracedAttempt } from './delivery-traces.js';
import type { WebhookRef } from './webhook-delivery.types.js';

/** Number of concurrent requests to one subscriber, per process. */
const BATCH_SIZE = 8;
/** Number of batches after which other webhooks are served. */
const BATCHES_PER_TURN = 10;
/** Other webhooks are also served after a batch that took this long, so that slow subscribers do not delay others. */
const SLOW_BATCH_MS = 1000;
/** Number of deliveries of a disabled webhook that one statement ends. */
const FAIL_BATCH_SIZE = 1000;
const NOT_STORED = 'The body of the event is no longer stored';
/** Time to record a result after the time limit of the request. */
const RECORD_MS = 5000;

/** Makes the due delivery attempts of one webhook. */
@Injectable()
export class DeliveryAttempts {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly sender: DeliverySender,
    private readonly recorder: AttemptRecorder,
    private readonly traces: DeliveryTraces,
    private readonly clock: Clock,
  ) {}

  /** Returns whether more deliveries may be due. */
  async run(ref: WebhookRef): Promise<boolean> {
    for (let batch = 0; batch < BATCHES_PER_TURN; batch += 1) {
      const webhook = await this.webhooks.find(ref, ref.webhookId);
      if (webhook === undefined) return false;
      if (webhook.status !== 'active') {
        return this.failPending(ref, webhook.disabled_reason ?? 'The webhook is disabled');
      }
      const now = this.clock.now();
      const leaseEnd = new Date(now.getTime() + this.sender.timeoutMs + RECORD_MS);
      const claimed = await this.deliveries.claim(ref, now, leaseEnd, BATCH_SIZE);
      const opened = await this.traces.open(ref, claimed);
      const made = await Promise.all(opened.map((attempt) => this.attempt(webhook, attempt)));
      await this.traces.record(ref, made.flat());
      if (claimed.length < BATCH_SIZE) return false;
      if (this.clock.millis() - now.getTime() > SLOW_BATCH_MS) return true;
    }
    return true;
  }

  private async failPending(ref: WebhookRef, reason: string): Promise<boolean> {
    for (let batch = 0; batch < BATCHES_PER_TURN; batch += 1) {
      if ((await this.deliveries.failPending(ref, reason, FAIL_BATCH_SIZE)) < FAIL_BATCH_SIZE) return false;
    }
    return true;
  }

  /** Returns the attempt if a request was sent. */
  private async attempt(webhook: Webhook, traced: TracedAttempt): Promise<MadeAttempt[]> {
    const { delivery } = traced;
    const { id, body } = delivery;
    if (body === null) {
      await this.deliveries.record(delivery, { status: 'failed', next_attempt_at: null, error: NOT_STORED });
      return [];
    }
    const now = this.clock.now();
    const headers = { ...headersOf(webhook, id, body, now), ...traceHeadersOf(traced) };
    const result = await this.sender.send(webhook.url, headers, body);
    await this.recorder.record(webhook, delivery, { ...result, request_headers: headers });
    return [{ ...traced, url: webhook.url, startedAt: now.getTime(), result }];
  }
}
