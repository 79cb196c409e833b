import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { ChosenClient, configOf } from './chosen-client.js';
import { leadsToPooler } from './pooler.js';
import { serverAddress, type ServerAddress } from './server-address.js';
import { ServerChoice } from './server-choice.js';

const TIMEOUT_MS = 200;

function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + Buffer.byteLength(body));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

const failure = (code: string): Buffer => message('E', `SERROR\0C${code}\0Mno server\0\0`);
const LOGGED_IN = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]);

/** A pooler whose PostgreSQL is lost. */
class PoolerWithoutServer {
  readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(login: Buffer, answer: Buffer) {
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      socket.once('data', () => {
        socket.write(login);
        socket.on('data', () => socket.write(answer));
      });
    });
  }

  async address(parameters: string): Promise<ServerAddress> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return serverAddress('DATABASE_URL', `postgres://u@${host},${host}/d${parameters}`, null);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('a connection to a pooler whose server is lost', () => {
  let pooler: PoolerWithoutServer | undefined;
  let probes: number;
  beforeEach(() => void (probes = 0));
  afterEach(async () => pooler?.close());

  /** Returns why the connection failed. Afterwards, the choice is made again if it is in doubt. */
  async function failureOf(login: Buffer, answer: Buffer): Promise<unknown> {
    pooler = new PoolerWithoutServer(login, answer);
    const address = await pooler.address('');
    const servers = new ServerChoice(address, async () => void (probes += 1));
    const client = new ChosenClient({ ...configOf(address), query_timeout: TIMEOUT_MS, servers });
    client.on('error', () => undefined);
    const error: unknown = await client.connect().catch((reason: unknown) => reason);
    probes = 0;
    await servers.choose();
    return error;
  }

  it.each([
    ['fails its first statement', LOGGED_IN, failure('08P01'), { code: '08P01', reason: /^no server$/ }],
    ['answers nothing', LOGGED_IN, Buffer.alloc(0), { code: '08001', reason: /pooler without a server/ }],
    ['rejects the login', failure('08006'), Buffer.alloc(0), { code: '08006', reason: /^no server$/ }],
  ])('that %s puts the choice in doubt, and is closed', async (_how, login, answer, { code, reason }) => {
    const error = (await failureOf(login, answer)) as Error;
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(reason);
    expect(probes).toBe(2);
    await eventually(() => expect(pooler?.sockets.size).toBe(0));
  });

  it.each(['28P01', '3D000', '53300'])(
    'that is rejected with %s does not: another host would reject it too',
    async (code) => {
      expect(await failureOf(failure(code), Buffer.alloc(0))).toMatchObject({ code });
      expect(probes).toBe(0);
    },
  );

  it('ends the start with an error that names the setting', async () => {
    pooler = new PoolerWithoutServer(LOGGED_IN, Buffer.alloc(0));
    const { hosts, ...address } = await pooler.address('?target_session_attrs=any');
    await expect(leadsToPooler({ ...address, hosts: hosts.slice(0, 1) }, TIMEOUT_MS)).rejects.toThrow(
      /^DATABASE_URL: 127\.0\.0\.1:\d+ accepts connections but answers no statement/,
    );
  });
});
