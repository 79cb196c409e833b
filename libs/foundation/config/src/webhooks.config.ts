import { EnvVar } from './env-var.js';
import { hostList, integer, secondsList } from './parsers.js';

/** Standard Webhooks 1.0: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. */
const STANDARD_DELAYS = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Deliveries of events to the subscriptions of organizations. */
export class WebhooksConfig {
  @EnvVar('WEBHOOK_ALLOWED_HOSTS', hostList, {
    default: [],
    doc:
      'Private hosts to which events may be delivered: host names, addresses and networks (10.0.0.0/8), separated by ' +
      'commas. Default: public addresses only.',
  })
  readonly allowedHosts!: readonly string[];

  @EnvVar('WEBHOOK_TIMEOUT_MS', integer({ min: 100, max: 60_000 }), {
    default: 15_000,
    doc: 'Time in milliseconds after which an attempt to deliver an event fails.',
  })
  readonly timeoutMs!: number;

  @EnvVar('WEBHOOK_RETRY_DELAYS', secondsList, {
    default: STANDARD_DELAYS,
    doc: 'Seconds before each attempt to deliver an event, counted from the attempt before it, separated by commas.',
  })
  readonly retryDelays!: readonly number[];

  @EnvVar('WEBHOOK_MAX_PENDING', integer({ min: 0, max: 100_000_000 }), {
    default: 100_000,
    doc: 'Maximum number of pending deliveries of a webhook. Beyond it, the webhook is disabled and these deliveries fail. 0: no limit.',
  })
  readonly maxPending!: number;

  @EnvVar('WEBHOOK_MAX_STORED_BYTES', integer({ min: 0, max: 1_000_000_000_000_000 }), {
    default: 1_073_741_824,
    doc: 'Bytes of the stored events and deliveries of an organization, each delivery counting as 2 KiB. Beyond it, the oldest deliveries that have ended are deleted; without any, new deliveries fail. 0: no limit.',
  })
  readonly maxStoredBytes!: number;
}
