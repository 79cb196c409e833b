import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { eventually, testRedisUrl } from '@app/testing';
import { Redis } from 'ioredis';
import { RedisConnections } from './redis.connections.js';
import { Subscriptions } from './subscriptions.js';

describe('subscriptions', () => {
  let connections: RedisConnections;
  let connection: Redis;
  let subscriptions: Subscriptions;
  let one: string;
  let other: string;

  beforeEach(() => {
    connections = new RedisConnections({ url: testRedisUrl() });
    connection = new Redis(testRedisUrl(), { maxRetriesPerRequest: null, autoResubscribe: false });
    subscriptions = new Subscriptions(connection, 60_000);
    [one, other] = [`test:${newId()}`, `test:${newId()}`];
  });
  afterEach(() => {
    connection.disconnect();
    connections.onApplicationShutdown();
  });

  const publish = (channel: string, message: string | Buffer): Promise<number> =>
    connections.commands.publish(channel, message);

  it('deliver to each listener the unchanged messages of its channel only', async () => {
    const received: [string, Buffer][] = [];
    await Promise.all([
      subscriptions.open(one, { onMessage: (message) => received.push(['one', message]) }),
      subscriptions.open(other, { onMessage: (message) => received.push(['other', message]) }),
    ]);
    await publish(one, Buffer.from([0xff, 0x00, 0xfe]));
    await publish(other, 'text');
    await eventually(() => expect(received).toHaveLength(2));
    expect(received).toEqual([
      ['one', Buffer.from([0xff, 0x00, 0xfe])],
      ['other', Buffer.from('text')],
    ]);
  });

  it('do not decode messages', async () => {
    await subscriptions.open(one, { onMessage: () => undefined });
    expect([connection.listenerCount('message'), connection.listenerCount('messageBuffer')]).toEqual([0, 1]);
  });

  it('end when closed and can be opened again', async () => {
    const received: string[] = [];
    await subscriptions.open(one, { onMessage: () => received.push('first') });
    await expect(subscriptions.open(one, { onMessage: () => undefined })).rejects.toThrow('already has a listener');
    subscriptions.close(one);
    subscriptions.close(one);
    await eventually(async () => expect(await publish(one, 'no subscriber')).toBe(0));
    await subscriptions.open(one, { onMessage: () => received.push('second') });
    await publish(one, 'now');
    await eventually(() => expect(received).toEqual(['second']));
  });

  it('continue after a lost connection and report it', async () => {
    const received: string[] = [];
    let resumed = 0;
    // A connection that becomes ready after `open` resumes as well: wait until it is ready.
    await connection.ping();
    await subscriptions.open(one, {
      onMessage: (message) => received.push(message.toString()),
      onResumed: () => (resumed += 1),
    });
    expect(resumed).toBe(0);
    await connections.commands.client('KILL', 'ID', await connection.client('ID'));
    await eventually(() => expect(resumed).toBe(1));
    await publish(one, 'again');
    await eventually(() => expect(received).toEqual(['again']));
  });

  it('report each subscription of a followed channel, which has one listener', async () => {
    const received: string[] = [];
    let subscribed = 0;
    await connection.ping();
    for (let use = 0; use < 2; use += 1) {
      subscriptions.follow(one, {
        onMessage: (message) => received.push(message.toString()),
        onSubscribed: () => (subscribed += 1),
      });
    }
    await eventually(() => expect(subscribed).toBe(1));
    await connections.commands.client('KILL', 'ID', await connection.client('ID'));
    await eventually(() => expect(subscribed).toBe(2));
    await publish(one, 'once');
    await eventually(() => expect(received).toEqual(['once']));
  });

  it('are retried until Redis accepts them', async () => {
    const name = `listener-${newId()}`;
    await connections.commands.call('ACL', 'SETUSER', name, 'on', '>secret', '~*', '+@all', 'resetchannels');
    const url = Object.assign(new URL(testRedisUrl()), { username: name, password: 'secret' });
    const rejected = new Redis(url.toString(), { maxRetriesPerRequest: null });
    const received: string[] = [];
    const opened = new Subscriptions(rejected, 60_000).open(one, {
      onMessage: (message) => received.push(message.toString()),
    });
    await eventually(async () => {
      const log = JSON.stringify(await connections.commands.call('ACL', 'LOG'));
      expect(log).toContain(name);
    });
    await connections.commands.call('ACL', 'SETUSER', name, 'allchannels');
    await opened;
    await publish(one, 'at last');
    await eventually(() => expect(received).toEqual(['at last']));
    rejected.disconnect();
    await connections.commands.call('ACL', 'DELUSER', name);
  });
});
