import { describe, expect, it } from '@jest/globals';
import { natsAddress, parseNatsUrl } from './nats-url.js';

describe('the address of NATS', () => {
  it('names one server', () => {
    const none = { username: undefined, password: undefined };
    expect(parseNatsUrl('nats://h')).toEqual({ servers: ['h:4222'], ...none, tls: false });
    expect(parseNatsUrl('tls://[::1]:7000/')).toEqual({ servers: ['[::1]:7000'], ...none, tls: true });
    expect(natsAddress('nats://h:1//')).toBe('nats://h:1');
  });

  it('names servers of a cluster, with a token or a password for all of them', () => {
    const servers = ['a:1', 'b:4222', 'c:4222'];
    expect(parseNatsUrl('nats://tok%2Fen@a:1,b,c')).toMatchObject({ servers, username: 'tok/en', password: undefined });
    expect(parseNatsUrl('nats://me:p%40w@a:1,b,c')).toMatchObject({ servers, username: 'me', password: 'p@w' });
  });

  it.each([
    ['http://h', 'expected nats://host:4222'],
    ['h:4222', 'expected nats://host:4222'],
    ['nats://', 'expected host:port'],
    ['nats://a:1,', 'expected host:port'],
    ['nats://a:0', 'expected host:port'],
    ['nats://a,nats://b', 'expected nats://host:4222'],
    ['nats://hunter2@a/x', 'expected nats://host:4222'],
    ['nats://u:hunter2%zz@a', 'expected a percent-encoded password'],
  ])('is rejected: %s', (address, message) => {
    const parse = (): string => natsAddress(address);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow('hunter2');
  });
});
