import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** How long the output of a process may take to arrive after its end. */
const DRAIN_MS = 200;
/** Marks all processes that descend from a group, also those that leave it. */
const MARKER = 'WORKER_PROCESS_GROUP';
/** Each pass finds the processes that were started since the one before. */
const MAX_PASSES = 5;

export interface ProcessCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Sent to its standard input, which is closed then. */
  readonly input: string;
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
 * A process in a group of its own. When it ends, and when the signal is aborted, all processes that it started are killed: those
 * of its group and, on Linux, those that left the group.
 */
export class ProcessGroup {
  /** Rejects if the process cannot be started. */
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ChildProcess;
  private readonly id = randomUUID();

  constructor({ command, args, cwd, env, input }: ProcessCommand, output: ProcessOutput, signal: AbortSignal) {
    signal.throwIfAborted();
    this.child = spawn(command, args, { cwd, env: { ...env, [MARKER]: this.id }, detached: true, stdio: 'pipe' });
    const { child } = this;
    child.stdout?.on('data', output.onStdout);
    child.stderr?.on('data', output.onStderr);
    // A process that does not read its input closes it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    const abort = (): void => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    this.ended = this.waitForEnd().finally(() => signal.removeEventListener('abort', abort));
  }

  /** Kills all processes at once. */
  kill(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    killQuietly(-pid);
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const left = markedProcesses(this.id);
      if (left.length === 0) return;
      left.forEach(killQuietly);
    }
  }

  private async waitForEnd(): Promise<ProcessEnd> {
    const { child } = this;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const end = await new Promise<ProcessEnd>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    this.kill();
    const drained = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref());
    await Promise.race([closed, drained]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    return end;
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Returns the processes with this marker in their environment; none where there is no `/proc`. */
function markedProcesses(id: string): number[] {
  const mark = `${MARKER}=${id}`;
  return processIds().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark) && !isZombie(pid);
    } catch {
      return false;
    }
  });
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function isZombie(pid: number): boolean {
  return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}
