import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setEnvironment } from '@app/config';
import { RedisConnections } from '@app/redis';
import { newId } from '@app/kernel';
import { createTestContext, eventually, flushTestRedis, type TestContext } from '@app/testing';
import { DiscardPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { provisionNats, type NatsServer } from '../../../../../tools/provision/nats.js';
import { EventBusHealth } from '../feed/event-bus-health.js';
import { EventLog } from '../log/event-log.js';
import { EventsHandlersModule } from '../events.handlers.module.js';
import { EventsModule } from '../events.module.js';
import type { ExecutionRef } from '../log/event-types.js';
import { UnreadLogs } from '../feed/unread-logs.js';
import { UnreadLogsTask } from '../feed/unread-logs.task.js';
import { subjectOf } from './nats-event.provider.js';
import { NatsLink, STREAM } from './nats-link.js';

interface Received {
  readonly subject: string;
  readonly messageId: string | undefined;
  readonly event: { readonly id: string; readonly event_type: string; readonly data: { readonly n: unknown } };
}

const NONE = new AbortController().signal;

async function newContext(url: string): Promise<TestContext> {
  setEnvironment({ NATS_URL: url });
  try {
    return await createTestContext([EventsModule, EventsHandlersModule]);
  } finally {
    setEnvironment({ NATS_URL: '' });
  }
}

const newRef = (): ExecutionRef => ({ organizationId: newId(), executionId: newId() });
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

async function publish(context: TestContext, execution: ExecutionRef, count: number, from = 0): Promise<void> {
  for (const n of upTo(count)) {
    await context.get(EventLog).publish(execution, { event_type: 'message_chunk', data: { n: from + n } }, null);
  }
}

describe('the stream of NATS', () => {
  let folder: string;
  let server: NatsServer;
  let context: TestContext;
  let client: NatsConnection;

  beforeAll(async () => {
    await flushTestRedis();
    folder = mkdtempSync(join(tmpdir(), 'nats-'));
    server = await provisionNats(folder);
    context = await newContext(server.url);
    const { host, username } = new URL(server.url);
    client = await connect({ servers: host, token: username, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  });

  afterAll(async () => {
    await context.close();
    await client.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Every message of the execution, in the order of the stream. */
  async function received(execution: ExecutionRef): Promise<Received[]> {
    const subject = subjectOf(execution, { type: '' }).replace(/[^.]*$/, '>');
    const manager = await jetstreamManager(client);
    const { state } = await manager.streams.info(STREAM, { subjects_filter: subject });
    const count = Object.values(state.subjects ?? {}).reduce((sum, messages) => sum + messages, 0);
    const consumer = await jetstream(client).consumers.get(STREAM, { filter_subjects: subject });
    const messages: Received[] = [];
    while (messages.length < count) {
      const message = await consumer.next();
      if (message === null) break;
      messages.push({
        subject: message.subject,
        messageId: message.headers?.get('Nats-Msg-Id'),
        event: message.json<Received['event']>(),
      });
    }
    return messages;
  }

  async function expectReceived(execution: ExecutionRef, count: number): Promise<readonly Received[]> {
    let messages: Received[] = [];
    await eventually(async () => {
      messages = await received(execution);
      expect(messages.map(({ event }) => event.data.n)).toEqual(upTo(count));
    });
    return messages;
  }

  it('has every event once, in order, under its subject and with its id', async () => {
    const execution = newRef();
    await publish(context, execution, 30);
    const messages = await expectReceived(execution, 30);
    const { organizationId, executionId } = execution;
    expect(messages[0]).toEqual({
      subject: `events.${organizationId}.${executionId}.message_chunk`,
      messageId: expect.stringMatching(new RegExp(`^${executionId}_1_\\d+$`)),
      event: {
        ...{ id: messages[0]?.messageId, organization_id: organizationId, execution_id: executionId },
        ...{ event_type: 'message_chunk', data: { n: 0 }, timestamp: expect.any(String) },
      },
    });
  });

  it('stores an event once even if it is delivered twice', async () => {
    const execution = newRef();
    await publish(context, execution, 3);
    await expectReceived(execution, 3);
    // Simulates a crash between a delivery and the update of the position.
    await context.get(UnreadLogs).setPosition('nats', execution, { counter: 0, micros: 0 });
    await publish(context, execution, 2, 3);
    await expectReceived(execution, 5);
  });

  it('encodes ids of executions and event types that contain separators of a subject', () => {
    const execution = { organizationId: 'o', executionId: 'run.1:a' };
    expect(subjectOf(execution, { type: 'a > *é' })).toBe('events.o.run%2E1:a.a%20%3E%20%2A%C3%A9');
  });

  it('receives the events it missed while the server was unreachable, and publishing does not wait for it', async () => {
    const execution = newRef();
    await publish(context, execution, 2);
    await expectReceived(execution, 2);
    await server.kill('SIGKILL');
    await publish(context, execution, 10, 2);
    await eventually(async () => {
      const { status, providers } = await context.get(EventBusHealth).check();
      expect([status, providers.nats.status]).toEqual(['degraded', 'unhealthy']);
    });
    await server.restart();
    await expectReceived(execution, 12);
    await eventually(async () =>
      expect((await context.get(EventBusHealth).check()).providers.nats).toMatchObject({
        ...{ enabled: true, healthy: true, status: 'healthy', latency_ms: expect.any(Number) },
      }),
    );
  });

  it('loses, duplicates and reorders no event when the server dies while events are in flight', async () => {
    const execution = newRef();
    await publish(context, execution, 1);
    await expectReceived(execution, 1);
    const sent = (): number => context.get(NatsLink)['connection']?.stats().outMsgs ?? 0;
    const before = sent();
    // The server stops reading, so it never receives the events that are sent before it is killed.
    process.kill(server.pid, 'SIGSTOP');
    await publish(context, execution, 299, 1);
    await eventually(() => expect(sent()).toBeGreaterThan(before));
    await server.kill('SIGKILL');
    await server.restart();
    await expectReceived(execution, 300);
  });

  it('has every event in order after it rejected some of them because it was full', async () => {
    const execution = newRef();
    await publish(context, execution, 1);
    await expectReceived(execution, 1);
    const { streams } = await jetstreamManager(client);
    const { config, state } = await streams.info(STREAM);
    await streams.update(STREAM, { ...config, discard: DiscardPolicy.New, max_msgs: state.messages + 100 });
    await publish(context, execution, 199, 1);
    await eventually(async () => expect(await received(execution)).toHaveLength(101));
    await streams.update(STREAM, { ...config, discard: DiscardPolicy.Old, max_msgs: -1 });
    await expectReceived(execution, 200);
  });

  it('is created again after an operator deleted it, and contains the later events', async () => {
    const execution = newRef();
    const { streams } = await jetstreamManager(client);
    await streams.delete(STREAM);
    await publish(context, execution, 100);
    await eventually(async () => expect(await streams.list().next()).toHaveLength(1));
    await expectReceived(execution, 100);
  });

  it('receives the events of unread logs that their publisher did not record or Redis lost', async () => {
    const execution = newRef();
    const { commands } = context.get(RedisConnections);
    const keys = await commands.keys('events:grown:*');
    await commands.del(...keys);
    await publish(context, execution, 3);
    await context.get(UnreadLogsTask).run(NONE);
    await expectReceived(execution, 3);
  });
});

describe('a NATS server that accepts connections and sends nothing', () => {
  let silent: Server;
  let context: TestContext;
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    silent = createServer((socket) => sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    context = await newContext(`nats://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  });

  afterEach(async () => {
    await context.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('lets every publish succeed, and is reported as unhealthy', async () => {
    const execution = newRef();
    await publish(context, execution, 20);
    expect((await context.get(EventLog).read(execution, 'oldest')).frames).toHaveLength(20);
    const { status, providers } = await context.get(EventBusHealth).check();
    expect([status, providers.redis.status, providers.nats.status]).toEqual(['degraded', 'healthy', 'unhealthy']);
  });
});
