import cluster, { type Worker } from 'node:cluster';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { SERVER_PLACE, serverPlace } from '@app/config';
import { onShutdownSignals } from '@app/kernel';
import { createLogger, type Logger } from '@app/observability';

/** Restarts of a process that ended, in milliseconds: the delay doubles while it ends again before `STABLE_MS`. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
const STABLE_MS = 60_000;

/** A process reports that it listens, and is then told when all of them do. */
interface Listening {
  readonly listening: string;
}
const SERVE = 'serve';

/** The number of this process among those of its server, from 0; undefined if the server has one process. */
export function processNumber(): number | undefined {
  return cluster.isWorker ? serverPlace()?.number : undefined;
}

/** Returns the signature of a text by the processes of this server; undefined if the server has one process. */
export function signatureOfServer(text: string): string | undefined {
  const secret = cluster.isWorker ? serverPlace()?.secret : undefined;
  return secret === undefined ? undefined : createHmac('sha256', secret).update(text).digest('base64url');
}

/** Returns whether one of the processes of this server has signed a text. */
export function isSignedByServer(text: string, signature: string): boolean {
  const expected = Buffer.from(signatureOfServer(text) ?? '');
  const given = Buffer.from(signature);
  return expected.length > 0 && given.length === expected.length && timingSafeEqual(given, expected);
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly pid: number | undefined;
}

/** In a process of several: reports that it listens, and resolves when all processes do. */
export async function whenAllListen(url: string): Promise<void> {
  await new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (message === SERVE) resolve();
    });
    process.send?.({ listening: url } satisfies Listening);
  });
}

/**
 * Runs a server as several processes that accept the connections of one port, and supervises them. This process serves
 * nothing itself. The first process starts alone, so that what prevents the start is reported once; the exit code is then
 * its own. Later, a process that ends is started again.
 */
export class ServerProcesses {
  private readonly logger: Logger;
  private readonly secret = randomBytes(32).toString('base64url');
  private readonly running = new Map<number, Worker>();
  private readonly listening = new Set<number>();
  private isComplete = false;
  private isStopping = false;

  constructor(
    private readonly name: string,
    private readonly count: number,
  ) {
    this.logger = createLogger(name);
  }

  start(): void {
    onShutdownSignals({ stop: () => this.stop(), force: () => this.signalAll('SIGKILL') });
    this.fork(0, 0);
  }

  private fork(number: number, failures: number): void {
    if (this.isStopping) return;
    const since = performance.now();
    const child = cluster.fork({ [SERVER_PLACE]: `${number}:${this.secret}` });
    this.running.set(number, child);
    child.on('message', (message: Partial<Listening>) => {
      if (message.listening !== undefined) this.onListening(number, child, message.listening);
    });
    child.once('exit', (code, signal) => {
      this.running.delete(number);
      this.listening.delete(number);
      const isStable = performance.now() - since > STABLE_MS;
      this.onExit(number, { code, signal, pid: child.process.pid }, isStable ? 1 : failures + 1);
    });
  }

  private onListening(number: number, child: Worker, url: string): void {
    this.listening.add(number);
    if (this.isComplete) child.send(SERVE);
    else if (this.listening.size === this.count) {
      this.isComplete = true;
      for (const one of this.running.values()) one.send(SERVE);
      this.logger.info({ url, processes: this.count }, `${this.name} listening on ${url}`);
    } else if (number === 0) for (let next = 1; next < this.count; next += 1) this.fork(next, 0);
  }

  private onExit(number: number, exit: Exit, failures: number): void {
    if (this.isStopping) {
      if (exit.code !== 0) process.exitCode = exit.code ?? 1;
      // Without children, nothing keeps this process alive but its handlers of signals and the logger.
      if (this.running.size === 0) process.exit();
      return;
    }
    if (!this.isComplete) {
      process.exitCode = exit.code === null || exit.code === 0 ? 1 : exit.code;
      this.stop();
      return;
    }
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
    this.logger.error({ ...exit, process: number, delay_ms: delayMs }, 'a process ended and is started again');
    setTimeout(() => this.fork(number, failures), delayMs);
  }

  /** Each process drains its requests, as a single one does. */
  private stop(): void {
    this.isStopping = true;
    if (this.running.size === 0) process.exit();
    this.signalAll('SIGTERM');
  }

  private signalAll(signal: NodeJS.Signals): void {
    for (const child of this.running.values()) child.process.kill(signal);
  }
}
