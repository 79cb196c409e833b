import { describe, expect, it } from '@jest/globals';
import type { DatabaseHost } from '@app/config';
import { serverAddress } from './server-address.js';
import { ServerChoice } from './server-choice.js';

/** Servers of which some can be used, and others never respond. */
class Servers {
  readonly usable = new Set<string>();
  readonly silent = new Set<string>();
  readonly probed: string[] = [];
  readonly chosen: string[] = [];

  choice(url: string): ServerChoice {
    return new ServerChoice(
      serverAddress('DATABASE_URL', url, null),
      ({ host }) => this.probe(host),
      ({ host }) => this.chosen.push(host),
    );
  }

  private async probe(host: string): Promise<void> {
    this.probed.push(host);
    if (this.silent.has(host)) return new Promise(() => undefined);
    if (!this.usable.has(host)) throw new Error('it is a standby');
  }
}

const nameOf = (host: DatabaseHost | undefined): string | undefined => host?.host;

describe('the choice of a server', () => {
  it('is that of the driver if the URL has one host', async () => {
    const servers = new Servers();
    expect(await servers.choice('postgres://a/d').choose()).toBeUndefined();
    expect(servers.probed).toEqual([]);
  });

  it('is the first one that can be used, in the order of the URL', async () => {
    const servers = new Servers();
    for (const name of ['b', 'c']) servers.usable.add(name);
    const choice = servers.choice('postgres://a,b,c/d');
    expect(nameOf(await choice.choose())).toBe('b');
    expect(nameOf(await choice.choose())).toBe('b');
    expect(servers.probed).toEqual(['a', 'b', 'c']);
  });

  it('does not wait long for an earlier one that does not respond', async () => {
    const servers = new Servers();
    servers.silent.add('a');
    servers.usable.add('b');
    expect(nameOf(await servers.choice('postgres://a,b/d').choose())).toBe('b');
  });

  it('is made again after a doubt, once for all connections that wait for it', async () => {
    const servers = new Servers();
    servers.usable.add('a');
    const choice = servers.choice('postgres://a,b/d');
    const first = await choice.choose();
    servers.usable.delete('a');
    servers.usable.add('b');
    choice.doubt(first);
    // Until another one is found, open connections remain usable.
    expect(choice.isReplaced(first)).toBe(false);
    const [second, third] = await Promise.all([choice.choose(), choice.choose()]);
    expect([second, third].map(nameOf)).toEqual(['b', 'b']);
    expect(servers.probed).toHaveLength(4);
    expect(servers.chosen).toEqual(['a', 'b']);
    expect([choice.isReplaced(first), choice.isReplaced(second)]).toEqual([true, false]);
  });

  it('remains after a doubt while it accepts writes, even if an earlier one does again', async () => {
    const servers = new Servers();
    servers.usable.add('b');
    const choice = servers.choice('postgres://a,b/d');
    const first = await choice.choose();
    // A former primary that was not fenced.
    servers.usable.add('a');
    choice.doubt(first);
    expect(nameOf(await choice.choose())).toBe('b');
    servers.usable.delete('b');
    choice.doubt(first);
    expect(nameOf(await choice.choose())).toBe('a');
  });

  it('fails with the reason of each server if none can be used, and is tried again', async () => {
    const servers = new Servers();
    const choice = servers.choice('postgres://u:secret@a:1,b:2/d');
    const error: unknown = await choice.choose().catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      code: '08001',
      message: 'DATABASE_URL: no server can be used (a:1: it is a standby; b:2: it is a standby)',
    });
    servers.usable.add('b');
    expect(nameOf(await choice.choose())).toBe('b');
  });
});
