import { parseNatsUrl } from '@app/config';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

/** The stream of events. */
export const STREAM = 'EVENTS';

/** The ids of all messages in the stream of events, in its order. */
export async function readMessageIds(natsUrl: string): Promise<string[]> {
  const { servers, username: token = '' } = parseNatsUrl(natsUrl);
  const client = await connect({ servers: [...servers], token });
  try {
    const { state } = await (await jetstreamManager(client)).streams.info(STREAM);
    const consumer = await jetstream(client).consumers.get(STREAM);
    const ids: string[] = [];
    while (ids.length < state.messages) {
      const messages = await consumer.fetch({ max_messages: state.messages - ids.length, expires: 5000 });
      for await (const { headers } of messages) ids.push(headers?.get('Nats-Msg-Id') ?? '');
    }
    return ids;
  } finally {
    await client.close();
  }
}
