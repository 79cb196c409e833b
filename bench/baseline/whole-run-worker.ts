// The worker process of the baseline of a whole run (whole-run.ts): receives a run and replies at once.
import { createServer } from 'node:http';
import { monotonicMs } from '../whole-run/tally.js';

export interface BaselineRun {
  readonly id: string;
  /** When the trigger was sent, on the clock of `monotonicMs`. */
  readonly sentAt: number;
  readonly text: string;
}

export interface BaselineRunResult {
  readonly receivedAt: number;
  readonly response: string;
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const receivedAt = monotonicMs();
    JSON.parse(Buffer.concat(chunks).toString());
    const result: BaselineRunResult = { receivedAt, response: 'ok' };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result));
  });
}).listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('whole-run baseline worker ready'));
