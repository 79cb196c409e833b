import { parseNatsUrl } from '@app/config';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';

/** The stream of events. */
export const STREAM = 'EVENTS';

/** The id of the last event of an execution that is in the stream of events. */
export async function readLastId(natsUrl: string, executionId: string): Promise<string | undefined> {
  return withClient(natsUrl, async (client) => {
    const { streams } = await jetstreamManager(client);
    const last = await streams.getMessage(STREAM, { last_by_subj: `events.*.${executionId}.*` });
    return last?.header.get('Nats-Msg-Id');
  });
}

/** The ids of all messages in the stream of events, in its order. */
export async function readMessageIds(natsUrl: string): Promise<string[]> {
  return withClient(natsUrl, async (client) => {
    const { state } = await (await jetstreamManager(client)).streams.info(STREAM);
    const consumer = await jetstream(client).consumers.get(STREAM);
    const ids: string[] = [];
    while (ids.length < state.messages) {
      const messages = await consumer.fetch({ max_messages: state.messages - ids.length, expires: 5000 });
      for await (const { headers } of messages) ids.push(headers?.get('Nats-Msg-Id') ?? '');
    }
    return ids;
  });
}

async function withClient<T>(natsUrl: string, use: (client: NatsConnection) => Promise<T>): Promise<T> {
  const { servers, username: token = '' } = parseNatsUrl(natsUrl);
  const client = await connect({ servers: [...servers], token });
  return use(client).finally(() => client.close());
}
