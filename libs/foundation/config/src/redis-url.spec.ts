import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl, redisAddress } from './redis-url.js';

const none = { username: undefined, password: undefined };

describe('the address of Redis', () => {
  it('names one server', () => {
    expect(parseRedisUrl('redis://h')).toEqual({
      kind: 'single',
      ...none,
      tls: false,
      node: { host: 'h', port: 6379 },
    });
    expect(parseRedisUrl('rediss://me:p%40w@[::1]:7000/2')).toEqual({
      kind: 'single',
      username: 'me',
      password: 'p@w',
      tls: true,
      node: { host: '::1', port: 7000 },
    });
    expect(redisAddress('redis://:p@h:1/')).toBe('redis://:p@h:1');
  });

  it('names the sentinels of a primary', () => {
    expect(parseRedisUrl('redis+sentinel://:pw@a,b:7,[fd00::1]:8/main%2F1')).toEqual({
      kind: 'sentinel',
      username: undefined,
      password: 'pw',
      tls: false,
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 7 },
        { host: 'fd00::1', port: 8 },
      ],
      name: 'main/1',
      database: 0,
    });
    expect(parseRedisUrl('rediss+sentinel://a/main/3')).toMatchObject({ tls: true, name: 'main', database: 3 });
  });

  it('names nodes of a cluster', () => {
    expect(parseRedisUrl('rediss+cluster://me:p%3Aw@a:1,b')).toEqual({
      kind: 'cluster',
      username: 'me',
      password: 'p:w',
      tls: true,
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6379 },
      ],
    });
  });

  it.each([
    ['http://h', 'expected redis://host:6379, redis+sentinel://'],
    ['h:6379', 'expected redis://host:6379'],
    ['redis://a:1,b:2', 'expected one server; several: redis+sentinel://'],
    ['redis://', 'expected one server'],
    ['redis://:p@h:70000', 'expected one server'],
    ['redis+sentinel://a,b', 'expected the name of the primary after the sentinels: redis+sentinel://host:26379/name'],
    ['redis+sentinel://a/main/x', 'expected the name of the primary'],
    ['rediss+sentinel:///main', 'expected host:port, separated by commas'],
    ['redis+cluster://a:1,', 'expected host:port, separated by commas'],
    ['redis+cluster://a:0', 'expected host:port'],
    ['redis+cluster://a:65536', 'expected host:port'],
    ['redis+cluster://a:1/2', 'a cluster has no numbered databases'],
    ['redis+cluster://a?x=1', 'expected redis+cluster:// without ? and #'],
    ['redis+cluster://u:%zz@a', 'expected a percent-encoded password'],
    ['redis+cluster://u:hunter2/x@a', 'a cluster has no numbered databases'],
  ])('is rejected: %s', (address, message) => {
    const parse = (): string => redisAddress(address);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow('hunter2');
  });
});
