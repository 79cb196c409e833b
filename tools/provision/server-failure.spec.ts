import { describe, expect, it } from '@jest/globals';
import { explainFailure, isPortTaken } from './server-failure.js';

const server = {
  name: 'Postgres',
  variable: 'DATABASE_URL',
  dataDir: '/data/postgres',
  logFile: '/data/postgres/server.log',
};

describe('explainFailure', () => {
  it('names a full disk', () => {
    const failure = explainFailure(
      server,
      'FATAL:  could not write lock file "postmaster.pid": No space left on device\n',
    );
    expect(failure.message).toBe('The disk that holds /data/postgres is full: Postgres cannot write.');
  });

  it('names a read-only file system', () => {
    const failure = explainFailure(server, 'mkdir: EROFS: Read-only file system');
    expect(failure.message).toBe('/data/postgres is on a read-only file system.');
  });

  it('advises to remove a damaged file of Redis', () => {
    const redis = { ...server, name: 'Redis', dataDir: '/data/redis' };
    const { message, remedy } = explainFailure(redis, '# Bad file format reading the append only file a.aof: make a …');
    expect(message).toBe('A file of Redis in /data/redis is damaged.');
    expect(remedy).toMatch(/^Remove \/data\/redis\/data: /);
  });

  it('quotes the last fatal line of an unknown failure and names the log and the alternative', () => {
    const failure = explainFailure(server, 'LOG:  starting\nFATAL:  the moon is down\nLOG:  shutting down\n');
    expect(failure.message).toBe('Postgres did not start: FATAL:  the moon is down');
    expect(failure.remedy).toBe('See its log /data/postgres/server.log, or set DATABASE_URL to a server of your own.');
  });
});

describe('isPortTaken', () => {
  it('recognizes the messages of both servers', () => {
    expect(isPortTaken('LOG:  could not bind IPv4 address "127.0.0.1": Address already in use')).toBe(true);
    expect(
      isPortTaken('# Warning: Could not create server TCP listening socket 127.0.0.1:1: bind: Address already in use'),
    ).toBe(true);
    expect(isPortTaken('FATAL:  something else')).toBe(false);
  });
});
