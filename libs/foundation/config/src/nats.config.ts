import { EnvVar } from './env-var.js';
import { natsAddress } from './nats-url.js';
import { integer } from './parsers.js';

/** The message stream to which events are delivered in addition to the streams of clients. */
export class NatsConfig {
  @EnvVar('NATS_URL', natsAddress, {
    default: null,
    doc: 'Address of a NATS server with JetStream, or of several servers of a cluster (nats://user:password@a:4222,b:4222), which receives every event. Default: none.',
  })
  readonly url!: string | null;

  @EnvVar('NATS_STREAM_REPLICAS', integer({ min: 1, max: 5 }), {
    default: 1,
    doc: 'Number of servers of a NATS cluster that store the stream of events when it is created: 3 survives the loss of one. A stream that exists keeps its number.',
  })
  readonly streamReplicas!: number;
}
