import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { countersOf, countTo, eventually, StreamClient } from '@app/testing';
import { provisionRedis, type RedisServer } from '../../../../../tools/provision/redis.js';
import { StreamProcess } from '../testing/stream-process.js';
import { channelOf } from '../log/event-log.js';
import type { ExecutionRef } from '../log/event-types.js';

describe('EventStream over HTTP', () => {
  let folder: string;
  let redis: RedisServer;
  let one: StreamProcess;
  let other: StreamProcess;
  let execution: ExecutionRef;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-stream-'));
    redis = await provisionRedis({ dataDir: folder });
  });
  afterAll(async () => {
    await redis.stop();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    [one, other] = [await StreamProcess.start(redis.url), await StreamProcess.start(redis.url)];
    execution = { organizationId: newId(), executionId: newId() };
  });
  afterEach(() => Promise.all([one.stop(), other.stop()]));

  const open = (process = one, lastEventId?: string, of = execution): Promise<StreamClient> =>
    StreamClient.open(process.url(of), lastEventId);
  const isLive = (client: StreamClient): Promise<void> =>
    eventually(() => expect(client.types).toContain('history_complete'));
  const subscriptions = async (): Promise<number> =>
    (await one.connections.commands.pubsub('CHANNELS', 'events:{*')).length;

  it('begins with connected, the stored messages and history_complete, all without ids', async () => {
    await one.publish(execution, { n: 1 });
    const client = await open();
    await eventually(() => expect(client.events).toHaveLength(1));
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const { executionId: execution_id, organizationId: organization_id } = execution;
    expect(client.frames).toEqual([
      {
        id: null,
        type: 'connected',
        data: { execution_id, organization_id, status: 'running', connected_at: expect.stringMatching(/T.*Z$/) },
      },
      { id: null, type: 'message', data: { role: 'user', content: 'stored' } },
      { id: null, type: 'history_complete', data: { execution_id, message_count: 1 } },
      {
        id: expect.stringMatching(new RegExp(`^${execution_id}_1_\\d{16}$`)),
        type: 'message_chunk',
        data: { data: { n: 1 }, timestamp: expect.stringMatching(/T.*Z$/) },
      },
    ]);
    client.leave();
  });

  it('delivers every event once and in order to a reader that reconnects at random while two processes publish', async () => {
    const total = 3000;
    const seen: number[] = [];
    let lastEventId: string | undefined;
    const publishing = Promise.all(
      [one, other].map(async (process) => {
        for (let n = 0; n < total / 2; n += 25) {
          await Promise.all(countTo(25).map(() => process.publish(execution, { from: n })));
        }
      }),
    );
    for (let attempt = 0; seen.length < total; attempt += 1) {
      const client = await open(attempt % 2 === 0 ? one : other, lastEventId);
      const enough = Math.min(total - seen.length, 1 + Math.floor(Math.random() * 300));
      await eventually(() => expect(client.events.length).toBeGreaterThanOrEqual(enough));
      client.leave();
      const got = client.events.slice(0, enough);
      seen.push(...countersOf(got));
      lastEventId = got.at(-1)?.id ?? lastEventId;
      expect(client.types).not.toContain('gap_detected');
    }
    await publishing;
    expect(seen).toEqual(countTo(total));
  });

  it('continues without a gap after a restart of Redis', async () => {
    const client = await open();
    await isLive(client);
    await one.publish(execution, {});
    await redis.restart();
    for (const _ of countTo(10)) await eventually(() => other.publish(execution, {}));
    await eventually(() => expect(client.events.length).toBeGreaterThanOrEqual(11));
    expect(countersOf(client.events)).toEqual(countTo(client.events.length));
    expect(client.types).not.toContain('gap_detected');
    client.leave();
  });

  it('reports a gap after Redis lost the events, then sends all kept events', async () => {
    const client = await open();
    await isLive(client);
    for (const _ of countTo(3)) await one.publish(execution, {});
    await eventually(() => expect(client.events).toHaveLength(3));
    const { lastEventId } = client;
    await redis.restart({ wipe: true });
    await eventually(() => other.publish(execution, { after: true }));
    await eventually(() => expect(client.types.slice(-2)).toEqual(['gap_detected', 'message_chunk']));
    const data = { last_known_id: lastEventId, reason: expect.stringMatching(/^(expired|unknown_event_id)$/) };
    expect(client.frames.at(-2)).toEqual({ id: null, type: 'gap_detected', data });
    expect(countersOf(client.events)).toEqual([1, 2, 3, 1]);
    client.leave();
  });

  it('waits for an unreachable Redis, then sends every event', async () => {
    await one.publish(execution, {});
    await redis.stop();
    const client = await open();
    await isLive(client);
    await redis.restart();
    await eventually(() => expect(client.events).toHaveLength(1));
    await eventually(() => other.publish(execution, {}));
    await eventually(() => expect(countersOf(client.events)).toEqual([1, 2]));
    client.leave();
  });

  it.each(['nonsense', 'other_1_2', 'execution_1_1'])('reports a gap for the unknown id %j', async (id) => {
    await one.publish(execution, {});
    const lastEventId = id.replace('execution', execution.executionId);
    const client = await open(one, lastEventId);
    await eventually(() => expect(client.events).toHaveLength(1));
    const gap = { last_known_id: lastEventId, reason: 'unknown_event_id' };
    expect(client.frames.at(-2)).toEqual({ id: null, type: 'gap_detected', data: gap });
    client.leave();
  });

  it('treats an empty last event id as absent', async () => {
    await one.publish(execution, {});
    const client = await open(one, '');
    await eventually(() => expect(client.events).toHaveLength(1));
    expect(client.types).not.toContain('gap_detected');
    client.leave();
  });

  it('reads the log after an invalid message on its channel', async () => {
    const client = await open();
    await isLive(client);
    await one.connections.commands.publish(channelOf(execution), 'nonsense');
    await other.publish(execution, {});
    await eventually(() => expect(countersOf(client.events)).toEqual([1]));
    expect(client.types).not.toContain('gap_detected');
    client.leave();
  });

  it.each([
    ['an invalid entry', (log: string) => one.connections.commands.rpush(log, 'nonsense')],
    ['a value that is not a list', (log: string) => one.connections.commands.set(log, 'nonsense')],
  ])('disconnects a reader from a log with %s instead of retrying forever', async (_what, corrupt) => {
    await one.publish(execution, {});
    await corrupt(`${channelOf(execution)}:log`);
    // The connection may end before the headers of the response have been sent.
    const client = await open().catch((error: NodeJS.ErrnoException) => error.code);
    if (client instanceof StreamClient) await eventually(() => expect(client.ended).toBe('broken'));
    else expect(client).toBe('ECONNRESET');
  });

  it('disconnects a reader that does not read, keeps the others, and lets it resume by id', async () => {
    const slow = await open();
    const quick = await open();
    await Promise.all([isLive(slow), isLive(quick)]);
    await one.publish(execution, {});
    await eventually(() => expect(slow.events).toHaveLength(1));
    slow.response.pause();
    let sent = 1;
    await eventually(async () => {
      await one.publish(execution, { text: 'x'.repeat(500_000) });
      sent += 1;
      await eventually(() => expect(quick.events).toHaveLength(sent));
      expect(await one.connectionCount()).toBe(1);
    });
    const { lastEventId } = slow;
    const resumed = await open(other, lastEventId);
    await eventually(() => expect(countersOf(resumed.events)).toEqual(countTo(sent, 2)));
    for (const client of [slow, quick, resumed]) client.leave();
  });

  it('serves a thousand readers with one subscription and ends it after they disconnected', async () => {
    const clients = await Promise.all(countTo(1000).map(() => open()));
    await Promise.all(clients.map(isLive));
    for (const n of countTo(20)) await other.publish(execution, { n });
    await eventually(() => {
      for (const client of clients) expect(client.events).toHaveLength(20);
    });
    for (const client of clients) expect(countersOf(client.events)).toEqual(countTo(20));
    expect(await subscriptions()).toBe(1);
    for (const client of clients) client.leave();
    await eventually(async () => expect(await subscriptions()).toBe(0));
  });

  describe('whose clients do not read', () => {
    const MIB = 1_048_576;
    const LIMIT = 16 * MIB;
    const MAX_STREAMS = 40;
    let limited: StreamProcess;

    beforeEach(async () => {
      const limits = { queuedBytes: LIMIT, queuedBytesOfProcess: 4 * LIMIT, maxStreams: MAX_STREAMS };
      limited = await StreamProcess.start(redis.url, limits);
    });
    afterEach(() => limited.stop());

    const newRef = (organizationId = newId()): ExecutionRef => ({ organizationId, executionId: newId() });

    /** Each message is more than the system buffers for a connection, or a page of its own. */
    const withMessages = (count: number, bytes: number): ExecutionRef => {
      const [of, content] = [newRef(), 'x'.repeat(bytes)];
      limited.messages.set(
        of.executionId,
        countTo(count).map((n) => ({ n, content })),
      );
      return of;
    };

    /** Opens a stream and reads only the headers of the response. */
    const openUnread = async (of: ExecutionRef): Promise<StreamClient> => {
      const client = await open(limited, undefined, of);
      client.response.pause();
      return client;
    };

    it('hold a bounded number of bytes of stored messages, and do not delay other organizations', async () => {
      const unread = withMessages(1, 9.9 * MIB);
      const opening = countTo(30).map(() => openUnread(unread));
      const neighbor = await open(limited, undefined, withMessages(1, 9.9 * MIB));
      await isLive(neighbor);
      const clients = await Promise.all(opening);
      const statuses = clients.map(({ response }) => response.statusCode);
      const begun = statuses.filter((status) => status === 200).length;
      expect(begun).toBeGreaterThan(0);
      expect(statuses.filter((status) => status === 503)).toHaveLength(30 - begun);
      expect(limited.pagesRead).toBe(begun + 1);
      expect(limited.budget.bytes).toBeLessThanOrEqual(LIMIT);
      for (const client of [...clients, neighbor]) client.leave();
      await eventually(() => expect(limited.budget.bytes).toBe(0));
    });

    it('receive all stored messages and events in order once they read', async () => {
      const of = withMessages(12, 3 * MIB);
      const clients = [await openUnread(of), await openUnread(of)];
      expect(clients.map(({ response }) => response.statusCode)).toEqual([200, 200]);
      for (const n of countTo(5)) await limited.publish(of, { n });
      await eventually(() => expect(limited.budget.bytes).toBeGreaterThan(0));
      expect(limited.budget.bytes).toBeLessThanOrEqual(LIMIT);
      expect(limited.pagesRead).toBeLessThan(2 * 12);
      for (const { response } of clients) response.resume();
      for (const client of clients) {
        await eventually(() => expect(countersOf(client.events)).toEqual(countTo(5)));
        const messages = client.frames.filter(({ type }) => type === 'message');
        expect(messages.map(({ data }) => data['n'])).toEqual(countTo(12));
        client.leave();
      }
    });

    it('hold a bounded number of bytes of live events, and receive all of them once they read', async () => {
      const of = newRef();
      const [clients, neighbor] = [
        await Promise.all(countTo(10).map(() => open(limited, undefined, of))),
        await open(limited, undefined, newRef()),
      ];
      await Promise.all([...clients, neighbor].map(isLive));
      await limited.publish(of, { n: 0 });
      for (const client of clients) await eventually(() => expect(client.events).toHaveLength(1));
      for (const { response } of clients) response.pause();
      for (const n of countTo(30)) {
        await limited.publish(of, { n, text: 'x'.repeat(500_000) });
        expect(limited.budget.bytes).toBeLessThanOrEqual(LIMIT + MIB);
      }
      await eventually(() => expect(limited.budget.bytes).toBeGreaterThan(LIMIT / 2));
      expect(await limited.connectionCount()).toBe(11);
      for (const { response } of clients) response.resume();
      for (const client of clients) {
        await eventually(() => expect(countersOf(client.events)).toEqual(countTo(31)));
        expect(client.types).not.toContain('gap_detected');
      }
      for (const client of [...clients, neighbor]) client.leave();
    });

    it('can have a limited number of streams per organization', async () => {
      const of = newRef();
      const clients = await Promise.all(countTo(MAX_STREAMS).map(() => open(limited, undefined, of)));
      await Promise.all(clients.map(isLive));
      const [refused, neighbor] = [await open(limited, undefined, of), await open(limited, undefined, newRef())];
      expect([refused.response.statusCode, neighbor.response.statusCode]).toEqual([503, 200]);
      clients[0]?.leave();
      await eventually(async () => {
        const next = await open(limited, undefined, of);
        clients.push(next);
        expect(next.response.statusCode).toBe(200);
      });
      for (const client of [...clients, refused, neighbor]) client.leave();
    });
  });

  describe('of a final execution', () => {
    const done = { status: 'completed' };
    const longAgo = new Date(0);

    it('ends with the logged done', async () => {
      const client = await open();
      await isLive(client);
      await other.publish(execution, {});
      one.complete(execution, done, new Date());
      await other.log.publishDone(execution, done);
      await eventually(() => expect(client.ended).toBe('closed'));
      expect(client.types.slice(-2)).toEqual(['message_chunk', 'done']);
      expect(client.frames.at(-1)).toMatchObject({ id: expect.stringContaining('_2_'), data: done });
    });

    it('ends even if its done was lost', async () => {
      const client = await open();
      await isLive(client);
      one.complete(execution, done, longAgo);
      await eventually(() => expect(client.ended).toBe('closed'));
      expect(client.frames.at(-1)).toEqual({ id: null, type: 'done', data: done });
    });

    it('waits for its last events if it has just ended', async () => {
      const live = await open();
      await isLive(live);
      one.complete(execution, done, new Date());
      const late = await open();
      await isLive(late);
      // After a `done`, the state of the execution is checked; this one is not the last.
      await other.publish(execution, {}, 'done');
      await other.publish(execution, {}, 'status');
      await other.log.publishDone(execution, done);
      for (const client of [live, late]) {
        await eventually(() => expect(client.ended).toBe('closed'));
        expect(client.events.map(({ type }) => type)).toEqual(['done', 'status', 'done']);
      }
    });

    it('does not end at a done of the worker while the execution runs', async () => {
      const client = await open();
      await isLive(client);
      await other.publish(execution, {}, 'done');
      await other.publish(execution, {});
      await eventually(() => expect(client.events).toHaveLength(2));
      expect(client.ended).toBeNull();
      client.leave();
    });

    it('is replayed to later readers, with done at the end, and closed', async () => {
      await one.publish(execution, {});
      await one.log.publishDone(execution, done);
      one.complete(execution, done, new Date());
      const whole = await open();
      await eventually(() => expect(whole.ended).toBe('closed'));
      expect(whole.types).toEqual(['connected', 'message', 'history_complete', 'message_chunk', 'done']);
      const rest = await open(one, whole.lastEventId);
      await eventually(() => expect(rest.ended).toBe('closed'));
      expect(rest.types).toEqual(['connected', 'message', 'history_complete', 'done']);
      expect(rest.events).toEqual([]);
    });
  });

  it('closes its streams when the process stops, and readers continue on another process', async () => {
    const client = await open();
    await isLive(client);
    one.stream.beforeApplicationShutdown();
    await eventually(() => expect(client.ended).toBe('closed'));
    const late = await open();
    await eventually(() => expect(late.ended).toBe('closed'));
    expect(late.frames).toEqual([]);
  });
});
