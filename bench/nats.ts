import { mkdtemp, rm } from 'node:fs/promises';
import type { ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { provisionNats } from '../tools/provision/nats.js';
import { waitUntil } from '../tools/provision/wait-until.js';
import { inTurn, toFigure, type Figure } from './figures.js';
import { ask } from './ipc.js';
import type { BenchPlatform } from './platform.js';
import { cpuMs, startProcess, stopProcess } from './processes.js';
import { newEventsPath, startSide, type Side } from './provider-side.js';

const STREAM = 'EVENTS';
/** As many as the provider reads at the same time. */
const EXECUTIONS = 8;
/** Messages of one execution that the provider sends before the first of them is acknowledged. */
const WINDOW = 64;
const EVENT = {
  event_type: 'message_chunk',
  data: { role: 'assistant', content: 'A few words of an answer', is_chunk: true },
};
const WAIT = { timeoutMs: 120_000, intervalMs: 20 };

interface Result {
  readonly perSecond: number;
  readonly cpuUs: number;
}

/**
 * A dispatcher that sends a backlog of events to JetStream, compared with a process that publishes the same number of
 * equal messages with the client library alone, with the same number of them in flight.
 */
export async function natsBacklog(platform: BenchPlatform, rounds: number, perExecution: number): Promise<Figure[]> {
  const count = EXECUTIONS * perExecution;
  const folder = await mkdtemp(join(tmpdir(), 'nats-bench-'));
  const nats = await provisionNats(join(folder, 'nats'));
  const { host, username } = new URL(nats.url);
  const connection = await connect({ servers: host, token: username });
  const stream = await jetstreamManager(connection);
  const providers = { NATS_URL: nats.url };
  const side = await startSide(platform, { database: 'nats_backlog', redisFolder: join(folder, 'redis'), providers });
  let publisherProcess: ChildProcess | undefined;
  try {
    const paths = await Promise.all(Array.from({ length: EXECUTIONS }, () => newEventsPath(side.send)));
    await side.send('POST', paths[0] ?? '', EVENT);
    await untilStored(stream, 1);
    const sample = await stream.streams.getMessage(STREAM, { seq: 1 });
    const publisher = await startProcess({
      entry: 'bench/nats-publisher',
      env: {
        NATS_URL: nats.url,
        SUBJECT: 'events.baseline.run.message_chunk',
        PAYLOAD: sample?.string() ?? '',
        COUNT: String(count),
        IN_FLIGHT: String(EXECUTIONS * WINDOW),
      },
      ready: /connected/,
    });
    publisherProcess = publisher;
    const baseline = (): Promise<Result> => measure(stream, publisher, count, () => ask(publisher, 'publish'));
    const ours = (): Promise<Result> =>
      measure(stream, side.dispatcher, count, async () => {
        // A stopped process reads no events, so they all wait in the log.
        side.dispatcher.kill('SIGSTOP');
        try {
          await publishAll(side, paths, perExecution);
        } finally {
          side.dispatcher.kill('SIGCONT');
        }
      });
    await inTurn([baseline, ours], 1);
    const [baselines = [], own = []] = await inTurn([baseline, ours], rounds);
    return figuresOf(`a backlog of ${count} events to NATS`, own, baselines);
  } finally {
    if (publisherProcess !== undefined) await stopProcess(publisherProcess);
    await connection.close();
    await side.stop();
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function figuresOf(name: string, ours: readonly Result[], baseline: readonly Result[]): Figure[] {
  const baselineIs = `the client library, ${EXECUTIONS * WINDOW} at once`;
  const rates = { ours: ours.map(rateOf), baseline: baseline.map(rateOf), against: [] };
  const cpu = { ours: ours.map(cpuOf), baseline: baseline.map(cpuOf), against: [] };
  return [
    toFigure({ name, unit: '/s', baselineIs }, rates),
    toFigure({ name: `${name}, CPU per event`, unit: 'µs', baselineIs }, cpu),
  ];
}

const rateOf = ({ perSecond }: Result): number => perSecond;
const cpuOf = ({ cpuUs }: Result): number => cpuUs;

async function publishAll({ send }: Side, paths: readonly string[], perExecution: number): Promise<void> {
  const publisher = async (path: string): Promise<void> => {
    for (let n = 0; n < perExecution; n += 1) await send('POST', path, EVENT);
  };
  await Promise.all(paths.map(publisher));
}

/** The rate follows from the times at which the server stored the first and the last message. */
async function measure(
  stream: JetStreamManager,
  child: ChildProcess,
  count: number,
  start: () => Promise<unknown>,
): Promise<Result> {
  const [before, cpuBefore] = [await lastStored(stream), await cpuMs(child)];
  await start();
  await untilStored(stream, before + count);
  const cpuUs = (((await cpuMs(child)) - cpuBefore) / count) * 1000;
  const [first, last] = [await storedAt(stream, before + 1), await storedAt(stream, before + count)];
  return { perSecond: (count / (last - first)) * 1000, cpuUs };
}

async function lastStored(stream: JetStreamManager): Promise<number> {
  return (await stream.streams.info(STREAM)).state.last_seq;
}

async function untilStored(stream: JetStreamManager, seq: number): Promise<void> {
  const stored = await waitUntil(
    async () => ((await lastStored(stream).catch(() => 0)) >= seq ? true : undefined),
    WAIT,
  );
  if (stored === undefined) throw new Error(`The stream did not store message ${seq} in time`);
}

async function storedAt(stream: JetStreamManager, seq: number): Promise<number> {
  const message = await stream.streams.getMessage(STREAM, { seq });
  if (message === null) throw new Error(`The stream has no message ${seq}`);
  return message.time.getTime();
}
