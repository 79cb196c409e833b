// The baseline: the same stores and the same statements behind Express and behind plain Node http, with no framework,
// no authentication and no validation beyond JSON.parse. One process runs both servers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { EventLog } from '@app/events';
import { SystemClock } from '@app/kernel';
import { Queue } from 'bullmq';
import express, { type Request, type Response } from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startHub } from './event-hub.js';
import { heartbeatRows, patchRow, pollRows, prepareTables, triggerRow } from './statements.js';

const { DATABASE_URL = '', REDIS_URL = '', EXPRESS_PORT = '', HTTP_PORT = '', HUB_PORT = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16 });
const commands = new Redis(REDIS_URL, { enableAutoPipelining: true });
const queue = new Queue('{bench}', { connection: new Redis(REDIS_URL, { maxRetriesPerRequest: null }) });
const log = new EventLog({ commands } as ConstructorParameters<typeof EventLog>[0], new SystemClock());

type Body = Record<string, never>;
const routes: Record<string, (body: Body) => Promise<unknown>> = {
  '/publish': (body) => log.publish({ organizationId: 'bench', executionId: 'bench' }, body as never, null),
  '/trigger': async (body) => {
    const id = await triggerRow(pool, body);
    await queue.add('execution', { id }, { jobId: `${id}-1`, removeOnComplete: true });
    return { id };
  },
  '/patch': (body) => patchRow(pool, body),
  '/heartbeat': () => heartbeatRows(pool),
  '/poll': () => pollRows(pool, () => commands.llen('bench:empty')),
};

await prepareTables(pool);
const app = express();
app.use(express.json());
for (const [path, work] of Object.entries(routes)) {
  app.post(path, (request: Request, response: Response) => {
    void work(request.body as Body).then((answer) => response.json(answer));
  });
}
app.listen(Number(EXPRESS_PORT), '127.0.0.1');

createServer((request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => void answer(request.url ?? '', Buffer.concat(chunks), response));
}).listen(Number(HTTP_PORT), '127.0.0.1');

startHub(Number(HUB_PORT), REDIS_URL, () => console.log('baseline ready'));

async function answer(path: string, body: Buffer, response: ServerResponse): Promise<void> {
  const result = await routes[path]?.(JSON.parse(body.toString()) as Body);
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result));
}
