import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { isReady } from '../provision/is-ready.js';
import { compiled, projectRoot } from '../provision/project-root.js';
import { ProvisionError } from '../provision/provision-error.js';
import { rotateLog } from '../provision/server-log.js';
import type { ExitStatus } from '../provision/server-process.js';
import { waitUntil } from '../provision/wait-until.js';
import { readableLine, withoutKeys } from './log-lines.js';

export interface AppCommand {
  /** The name shown on the terminal and in error messages. */
  readonly name: string;
  /** Its bundle in `dist/` without extension: `bundles/worker`. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly onLine: (name: string, line: string) => void;
}

const MAX_KEPT_LINES = 12;
const READY_TIMEOUT_MS = 60_000;
const READY_CHECK_INTERVAL_MS = 50;

/**
 * A Node process of the platform. It runs in a new session, so that Ctrl-C in the terminal does not reach it and the
 * launcher decides the stop order. It stops when its standard input closes, that is, when the launcher dies.
 */
export class AppProcess {
  /** Resolves when the process has exited and its log is written. */
  readonly exited: Promise<ExitStatus>;
  private readonly lines: string[] = [];
  private readonly lineListeners = new Set<(line: string) => void>();
  private hasExited = false;

  private constructor(
    private readonly command: AppCommand,
    private readonly child: ChildProcess,
    log: WriteStream,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.record(line, log));
    }
    this.exited = new Promise((resolve) => {
      const end = (status: ExitStatus): void => {
        this.hasExited = true;
        log.end(() => resolve(status));
      };
      child.once('close', (code, signal) => end({ code, signal }));
      child.on('error', (error) => {
        this.record(error.message, log);
        // A process that could not be spawned does not always emit `close`.
        if (child.pid === undefined) end({ code: null, signal: null });
      });
    });
  }

  static start(command: AppCommand): AppProcess {
    rotateLog(command.logFile);
    const log = createWriteStream(command.logFile, { flags: 'a', mode: 0o600 });
    // A full disk must not stop the platform because a log cannot be written.
    log.on('error', () => undefined);
    const preload = pathToFileURL(compiled('tools/start/parent-watch')).href;
    const child = spawn(process.execPath, ['--import', preload, compiled(command.entry)], {
      cwd: projectRoot,
      env: command.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    return new AppProcess(command, child, log);
  }

  get name(): string {
    return this.command.name;
  }

  /** Undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** The last lines that it printed, formatted for the terminal. */
  get lastLines(): readonly string[] {
    return this.lines.map((line) => readableLine(this.name, line));
  }

  /** Waits until `GET url` returns 200. Throws ProvisionError if the process exits first or after a timeout. */
  async ready(url: string): Promise<void> {
    await this.waitFor(async () => ((await isReady(url)) ? true : undefined));
  }

  /** Waits until a printed line matches and returns its first group. Throws the same errors as `ready`. */
  async printed(pattern: RegExp): Promise<string> {
    const firstGroup = (line: string): string | undefined => pattern.exec(line)?.[1];
    const printed = this.lines.map(firstGroup).find((group) => group !== undefined);
    if (printed !== undefined) return printed;
    let listener: (line: string) => void = () => undefined;
    const timedOut = AbortSignal.timeout(READY_TIMEOUT_MS);
    try {
      return await new Promise<string>((resolve, reject) => {
        listener = (line) => {
          const group = firstGroup(line);
          if (group !== undefined) resolve(group);
        };
        this.lineListeners.add(listener);
        timedOut.addEventListener('abort', () => reject(this.timeoutError()));
        void this.exited.then(() => reject(this.earlyExitError()));
      });
    } finally {
      this.lineListeners.delete(listener);
    }
  }

  async stop(graceMs: number): Promise<void> {
    if (this.hasExited) return;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private async waitFor<T>(probe: () => Promise<T | undefined>): Promise<T> {
    const result = await waitUntil<T | 'exited'>(async () => (this.hasExited ? 'exited' : probe()), {
      timeoutMs: READY_TIMEOUT_MS,
      intervalMs: READY_CHECK_INTERVAL_MS,
    });
    if (result === 'exited') throw this.earlyExitError();
    if (result === undefined) throw this.timeoutError();
    return result;
  }

  private earlyExitError(): ProvisionError {
    return this.failure('exited before it was ready');
  }

  private timeoutError(): ProvisionError {
    return this.failure(`was not ready after ${READY_TIMEOUT_MS / 1000} s`);
  }

  private failure(what: string): ProvisionError {
    const lastLines = this.lastLines.map((line) => `\n    ${line}`).join('');
    return new ProvisionError(
      `The ${this.name} ${what}.`,
      `See its log ${this.command.logFile}, which ends with:${lastLines}`,
    );
  }

  private record(line: string, log: WriteStream): void {
    log.write(`${withoutKeys(line)}\n`);
    this.lines.push(line);
    if (this.lines.length > MAX_KEPT_LINES) this.lines.shift();
    for (const listener of this.lineListeners) listener(line);
    this.command.onLine(this.name, line);
  }
}
