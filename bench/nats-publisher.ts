// A process that publishes messages to JetStream with the client library alone, when it is asked.
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { replyTo } from './ipc.js';

const { NATS_URL = '', SUBJECT = '', PAYLOAD = '', COUNT = '0', IN_FLIGHT = '1' } = process.env;
const { host, username } = new URL(NATS_URL);
// The same setting as that of the provider.
const connection = await connect({ servers: host, token: username, noAsyncTraces: true });
const stream = jetstream(connection);
const payload = Buffer.from(PAYLOAD);
let lastId = 0;

async function publishAll(): Promise<void> {
  const end = lastId + Number(COUNT);
  const publishNext = async (): Promise<void> => {
    while (lastId < end) {
      lastId += 1;
      await stream.publish(SUBJECT, payload, { msgID: `${SUBJECT}_${lastId}` });
    }
  };
  await Promise.all(Array.from({ length: Number(IN_FLIGHT) }, publishNext));
}

replyTo('publish', () => {
  void publishAll();
  return true;
});
console.log('connected');
