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
    subscriptions = new Subscriptions(connection);
    [one, other] = [`test:${newId()}`, `test:${newId()}`];
  });
  afterEach(() => {
    connection.disconnect();
    connections.onApplicationShutdown();
  });

  const publish = (channel: string, message: string | Buffer): Promise<number> =>
    connections.commands.publish(channel, message);

  it('give each listener the messages of its channel, byte by byte, and no others', async () => {
    const heard: [string, Buffer][] = [];
    await Promise.all([
      subscriptions.open(one, { onMessage: (message) => heard.push(['one', message]) }),
      subscriptions.open(other, { onMessage: (message) => heard.push(['other', message]) }),
    ]);
    await publish(one, Buffer.from([0xff, 0x00, 0xfe]));
    await publish(other, 'text');
    await eventually(() => expect(heard).toHaveLength(2));
    expect(heard).toEqual([
      ['one', Buffer.from([0xff, 0x00, 0xfe])],
      ['other', Buffer.from('text')],
    ]);
  });

  it('decode no message for the connection', async () => {
    await subscriptions.open(one, { onMessage: () => undefined });
    expect([connection.listenerCount('message'), connection.listenerCount('messageBuffer')]).toEqual([0, 1]);
  });

  it('end when they are closed, and may be opened again', async () => {
    const heard: string[] = [];
    await subscriptions.open(one, { onMessage: () => heard.push('first') });
    await expect(subscriptions.open(one, { onMessage: () => undefined })).rejects.toThrow('has a listener');
    subscriptions.close(one);
    subscriptions.close(one);
    await eventually(async () => expect(await publish(one, 'nobody hears')).toBe(0));
    await subscriptions.open(one, { onMessage: () => heard.push('second') });
    await publish(one, 'now');
    await eventually(() => expect(heard).toEqual(['second']));
  });

  it('go on after a break, and say that there was one', async () => {
    const heard: string[] = [];
    let resumed = 0;
    await subscriptions.open(one, {
      onMessage: (message) => heard.push(message.toString()),
      onResumed: () => (resumed += 1),
    });
    const before = resumed;
    await connections.commands.client('KILL', 'ID', await connection.client('ID'));
    await eventually(() => expect(resumed).toBeGreaterThan(before));
    await publish(one, 'again');
    await eventually(() => expect(heard).toEqual(['again']));
  });

  it('that Redis refuses are asked for until it agrees', async () => {
    const name = `listener-${newId()}`;
    await connections.commands.call('ACL', 'SETUSER', name, 'on', '>secret', '~*', '+@all', 'resetchannels');
    const url = Object.assign(new URL(testRedisUrl()), { username: name, password: 'secret' });
    const refused = new Redis(url.toString(), { maxRetriesPerRequest: null });
    const heard: string[] = [];
    const opened = new Subscriptions(refused).open(one, { onMessage: (message) => heard.push(message.toString()) });
    await eventually(async () => {
      const log = JSON.stringify(await connections.commands.call('ACL', 'LOG'));
      expect(log).toContain(name);
    });
    await connections.commands.call('ACL', 'SETUSER', name, 'allchannels');
    await opened;
    await publish(one, 'at last');
    await eventually(() => expect(heard).toEqual(['at last']));
    refused.disconnect();
    await connections.commands.call('ACL', 'DELUSER', name);
  });
});
