import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { compiled, projectRoot } from '../provision/project-root.js';
import { ProvisionError } from '../provision/provision-error.js';
import { rotateLog } from '../provision/server-log.js';
import type { ExitStatus } from '../provision/server-process.js';
import { waitUntil } from '../provision/wait-until.js';
import { readableLine, withoutKeys } from './log-lines.js';

export interface AppCommand {
  /** What the terminal and error messages call it. */
  readonly name: string;
  /** The source of its entry, without extension: `apps/worker/src/main`. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly onLine: (name: string, line: string) => void;
}

const keptLines = 12;
const readyTimeoutMs = 60_000;

/**
 * A Node process of the platform, in a session of its own (Ctrl-C in the terminal does not reach it, so that the
 * launcher decides the order of ends) and tied to the launcher's life by its standard input.
 */
export class AppProcess {
  readonly exited: Promise<ExitStatus>;
  private readonly lines: string[] = [];
  private readonly awaited = new Set<(line: string) => void>();
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
        log.end();
        resolve(status);
      };
      child.once('close', (code, signal) => end({ code, signal }));
      child.on('error', (error) => {
        this.record(error.message, log);
        // One that never ran does not always close.
        if (child.pid === undefined) end({ code: null, signal: null });
      });
    });
  }

  static start(command: AppCommand): AppProcess {
    rotateLog(command.logFile);
    const log = createWriteStream(command.logFile, { flags: 'a', mode: 0o600 });
    // A disk that fills up must not take the platform down for want of a log.
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

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** The end of what it printed, as a person reads it. */
  get lastLines(): readonly string[] {
    return this.lines.map((line) => readableLine(this.name, line));
  }

  /** Waits until `GET url` answers 200. */
  async ready(url: string): Promise<void> {
    await this.waitFor(async () => {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      await response?.body?.cancel();
      return response?.status === 200 ? true : undefined;
    });
  }

  /** Waits until a line is printed that matches; answers its first group. */
  async printed(pattern: RegExp): Promise<string> {
    const groupOf = (line: string): string | undefined => pattern.exec(line)?.[1];
    const said = this.lines.map(groupOf).find((found) => found !== undefined);
    if (said !== undefined) return said;
    let listen: (line: string) => void = () => undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<string>((resolve, reject) => {
        listen = (line) => {
          const found = groupOf(line);
          if (found !== undefined) resolve(found);
        };
        this.awaited.add(listen);
        timer = setTimeout(() => reject(this.late()), readyTimeoutMs);
        void this.exited.then(() => reject(this.endedEarly()));
      });
    } finally {
      clearTimeout(timer);
      this.awaited.delete(listen);
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

  private async waitFor<T>(ask: () => Promise<T | undefined>): Promise<T> {
    const answer = await waitUntil<T | 'ended'>(async () => (this.hasExited ? 'ended' : ask()), {
      timeoutMs: readyTimeoutMs,
      stepMs: 50,
    });
    if (answer === 'ended') throw this.endedEarly();
    if (answer === undefined) throw this.late();
    return answer;
  }

  private endedEarly(): ProvisionError {
    return this.failure('ended before it was ready');
  }

  private late(): ProvisionError {
    return this.failure(`was not ready after ${readyTimeoutMs / 1000} s`);
  }

  private failure(what: string): ProvisionError {
    const said = this.lastLines.map((line) => `\n    ${line}`).join('');
    return new ProvisionError(`The ${this.name} ${what}.`, `Its log is ${this.command.logFile}; the end of it:${said}`);
  }

  private record(line: string, log: WriteStream): void {
    log.write(`${withoutKeys(line)}\n`);
    this.lines.push(line);
    if (this.lines.length > keptLines) this.lines.shift();
    for (const listen of this.awaited) listen(line);
    this.command.onLine(this.name, line);
  }
}
