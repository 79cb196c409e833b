import { EnvVar } from './env-var.js';
import { address } from './parsers.js';

/** The message stream to which events are delivered in addition to the streams of clients. */
export class NatsConfig {
  @EnvVar('NATS_URL', address(['nats', 'tls']), {
    default: null,
    doc: 'Address of a NATS server with JetStream, which receives every event; credentials may be part of it. Default: none.',
  })
  readonly url!: string | null;
}
