import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { killQuietly, MARKER, strays } from './stray-processes.js';

/** How long the output of a process may take to arrive after its end. */
const DRAIN_MS = 200;

export interface ProcessCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed; null keeps it open. */
  readonly input: string | null;
}

export interface ProcessOutput {
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
}

export interface ProcessEnd {
  /** Null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A process in a group of its own. When it ends, and when the signal is aborted, all processes that it started are
 * killed: those of its group and, on Linux, those that left the group.
 */
export class ProcessGroup {
  /** Rejects if the process cannot be started. */
  readonly ended: Promise<ProcessEnd>;
  /** Resolves when the process has started. Never rejects. */
  readonly started: Promise<void>;
  private readonly child: ChildProcess;
  private readonly id = randomUUID();

  constructor({ command, args, cwd, env, input }: ProcessCommand, output: ProcessOutput, signal: AbortSignal) {
    signal.throwIfAborted();
    this.child = spawn(command, args, { cwd, env: { ...env, [MARKER]: this.id }, detached: true, stdio: 'pipe' });
    const { child } = this;
    child.stdout?.on('data', output.onStdout);
    child.stderr?.on('data', output.onStderr);
    // A process that ends or closes its input without reading it causes an EPIPE error here.
    child.stdin?.on('error', () => undefined);
    if (input !== null) child.stdin?.end(input);
    this.started = new Promise((resolve) => child.once('spawn', () => resolve()));
    const abort = (): void => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    this.ended = this.waitForEnd().finally(() => signal.removeEventListener('abort', abort));
  }

  /** Sends text to the standard input. Resolves when the process can take more. */
  async write(text: string): Promise<void> {
    const { stdin } = this.child;
    if (stdin === null || !stdin.writable || stdin.write(text)) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        stdin.off('drain', settle).off('close', settle);
        resolve();
      };
      stdin.on('drain', settle).on('close', settle);
    });
  }

  /** Requests the end of the process: closes its standard input and sends SIGTERM. */
  terminate(): void {
    this.child.stdin?.end();
    this.child.kill('SIGTERM');
  }

  /** Kills all processes: those of the group at once, those that left it soon after. */
  kill(): void {
    void this.killAll();
  }

  private async waitForEnd(): Promise<ProcessEnd> {
    const { child } = this;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const end = await new Promise<ProcessEnd>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    await this.killAll();
    const drained = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref());
    await Promise.race([closed, drained]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    return end;
  }

  private async killAll(): Promise<void> {
    const { pid } = this.child;
    if (pid === undefined) return;
    killQuietly(-pid);
    await strays.killMarked(this.id);
  }
}
