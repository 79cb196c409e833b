import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { onPath, succeeds } from './commands.js';
import { compiled } from './project-root.js';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** What the server gets, from the system, when this process dies without having stopped it. */
  readonly parentDeathSignal: 'SIGINT' | 'SIGTERM';
  /** Everything the server prints is appended here. A file, not a pipe: the server outlives us by a moment. */
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  /** Put in front of the command (and inside which the tie to this process is made). */
  readonly prefix?: readonly string[];
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A server started by this process, in a session of its own (Ctrl-C in the terminal does not reach it), tied to this
 * process's life: it is told to stop when this process dies, however it dies.
 */
export class ServerProcess {
  readonly exited: Promise<ExitStatus>;
  /** How long the log was when this server started: what follows is its own. */
  readonly logStart: number;
  private hasExited = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly guarded: boolean,
    logStart: number,
  ) {
    this.logStart = logStart;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.hasExited = true;
        resolve({ code, signal });
      });
    });
  }

  static async start(server: ServerCommand): Promise<ServerProcess> {
    const logStart = statSync(server.logFile, { throwIfNoEntry: false })?.size ?? 0;
    const log = openSync(server.logFile, 'a', 0o600);
    const guarded = !systemSignalsParentDeath();
    const [command, ...args] = [...(server.prefix ?? []), ...tie(server, guarded), server.command, ...server.args];
    if (command === undefined) throw new Error('Empty command');
    const child = spawn(command, args, {
      env: server.env ?? process.env,
      ...(server.uid === undefined ? {} : { uid: server.uid }),
      ...(server.gid === undefined ? {} : { gid: server.gid }),
      stdio: [guarded ? 'pipe' : 'ignore', log, log],
      detached: true,
    });
    closeSync(log);
    const started = new ServerProcess(child, guarded, logStart);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => resolve());
      child.once('error', reject);
    });
    return started;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get running(): boolean {
    return !this.hasExited;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(this.guarded && signal === 'SIGKILL' ? 'SIGUSR2' : signal);
  }

  /** Asks the server to end and waits; after the grace it is killed. Does nothing when it is not running. */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    if (this.hasExited) return;
    this.signal(signal);
    const timer = setTimeout(() => this.signal('SIGKILL'), graceMs);
    await this.exited;
    clearTimeout(timer);
  }
}

function tie(server: ServerCommand, guarded: boolean): string[] {
  if (guarded) return [process.execPath, compiled('tools/provision/guard'), server.parentDeathSignal];
  return ['setpriv', '--pdeathsig', server.parentDeathSignal.replace('SIG', '')];
}

let parentDeathSupport: boolean | undefined;

/** prctl(2) PR_SET_PDEATHSIG through util-linux; macOS and BusyBox have no such thing. */
function systemSignalsParentDeath(): boolean {
  parentDeathSupport ??= onPath('setpriv') !== undefined && succeeds('setpriv', ['--pdeathsig', 'TERM', 'true']);
  return parentDeathSupport;
}
