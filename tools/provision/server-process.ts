import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { findOnPath, commandSucceeds } from './commands.js';
import { compiled } from './project-root.js';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The signal that stops the server when this process dies. */
  readonly parentDeathSignal: 'SIGINT' | 'SIGTERM';
  /**
   * Receives the server's stdout and stderr. A file, because a pipe would break when this process dies before the
   * server.
   */
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  /** A command that runs the server (`unshare …`); the parent-death signal is set up inside it. */
  readonly prefix?: readonly string[];
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A server started by this process in a new session, so that Ctrl-C in the terminal does not reach it. It is stopped
 * when this process dies, even by SIGKILL.
 */
export class ServerProcess {
  readonly exited: Promise<ExitStatus>;
  /** The size of the log when this server started, which is where its output begins. */
  readonly logStart: number;
  private hasExited = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly isGuarded: boolean,
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
    const isGuarded = !hasParentDeathSignal();
    const [command, ...args] = [
      ...(server.prefix ?? []),
      ...parentDeathCommand(server, isGuarded),
      server.command,
      ...server.args,
    ];
    if (command === undefined) throw new Error('Empty command');
    const child = spawn(command, args, {
      env: server.env ?? process.env,
      ...(server.uid === undefined ? {} : { uid: server.uid }),
      ...(server.gid === undefined ? {} : { gid: server.gid }),
      stdio: [isGuarded ? 'pipe' : 'ignore', log, log],
      detached: true,
    });
    closeSync(log);
    const started = new ServerProcess(child, isGuarded, logStart);
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
    this.child.kill(this.isGuarded && signal === 'SIGKILL' ? 'SIGUSR2' : signal);
  }

  /** Sends the signal and waits for the exit; sends SIGKILL after `graceMs`. Does nothing if the server has exited. */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    if (this.hasExited) return;
    this.signal(signal);
    const timer = setTimeout(() => this.signal('SIGKILL'), graceMs);
    await this.exited;
    clearTimeout(timer);
  }
}

/** Returns the command that runs the server so that it stops when this process dies. */
function parentDeathCommand(server: ServerCommand, isGuarded: boolean): string[] {
  if (isGuarded) return [process.execPath, compiled('tools/provision/parent-death-guard'), server.parentDeathSignal];
  return ['setpriv', '--pdeathsig', server.parentDeathSignal.replace('SIG', '')];
}

let supportsParentDeathSignal: boolean | undefined;

/** Returns whether setpriv of util-linux can set PR_SET_PDEATHSIG, see prctl(2). macOS and BusyBox lack it. */
function hasParentDeathSignal(): boolean {
  supportsParentDeathSignal ??=
    findOnPath('setpriv') !== undefined && commandSucceeds('setpriv', ['--pdeathsig', 'TERM', 'true']);
  return supportsParentDeathSignal;
}
