import { createServer, type ServerResponse } from 'node:http';
import { Redis } from 'ioredis';

const STREAM = 'bench:events';

/** The minimal path of an event to its readers: XADD by the publisher, then one XREAD and a write to each reader. */
export function startHub(port: number, redisUrl: string, ready: () => void): void {
  const writer = new Redis(redisUrl, { enableAutoPipelining: true });
  const readers = new Set<ServerResponse>();
  createServer((request, response) => {
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void append(writer, Buffer.concat(chunks), response));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': ok\n\n');
    request.socket.setNoDelay(true);
    readers.add(response);
    response.on('close', () => readers.delete(response));
  }).listen(port, '127.0.0.1', ready);
  void pump(new Redis(redisUrl, { maxRetriesPerRequest: null }), readers);
}

async function append(writer: Redis, data: Buffer, response: ServerResponse): Promise<void> {
  const id = await writer.xadd(STREAM, 'MAXLEN', '~', 10_000, '*', 'd', data);
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ id }));
}

async function pump(reader: Redis, readers: ReadonlySet<ServerResponse>): Promise<void> {
  for (let last = '$'; ;) {
    const answer = await reader.xread('COUNT', 500, 'BLOCK', 5000, 'STREAMS', STREAM, last);
    const entries = answer?.[0]?.[1] ?? [];
    const frames = entries.map(([id, fields]) => `id: ${id}\nevent: message_chunk\ndata: ${fields[1]}\n\n`);
    last = entries.at(-1)?.[0] ?? last;
    const bytes = Buffer.from(frames.join(''));
    if (bytes.length > 0) for (const response of readers) response.write(bytes);
  }
}
