import { type ChildProcess, spawn } from 'node:child_process';

const STOP_GRACE_SECONDS = 10;

// Each input line is the complete list of process ids; the end of the input means that the launcher has died.
const SCRIPT = `
any_alive() { for pid in $pids; do kill -0 "$pid" 2>/dev/null && return 0; done; return 1; }
while read -r line; do pids=$line; done
count=0
while [ "$count" -lt "$1" ] && any_alive; do sleep 0.1; count=$((count + 1)); done
any_alive && kill -9 $pids`;

/**
 * Outlives a killed launcher and kills the processes of the launcher that do not stop within the grace period: a
 * process with a blocked event loop does not notice that its launcher has died. Runs as a shell script, because it
 * mostly waits.
 */
export class Reaper {
  private readonly shell: ChildProcess;
  private readonly pids = new Set<number>();

  constructor(seconds = STOP_GRACE_SECONDS) {
    const args = ['-c', SCRIPT, 'reaper', String(seconds * 10)];
    this.shell = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    // Without a shell, each process still watches its standard input.
    this.shell.on('error', () => undefined);
    this.shell.stdin?.on('error', () => undefined);
    this.shell.unref();
  }

  watch(child: { readonly pid: number; readonly exited: Promise<unknown> }): void {
    this.pids.add(child.pid);
    this.sendPids();
    void this.removeOnExit(child);
  }

  /** Stops the reaper after all processes have stopped. */
  dismiss(): void {
    this.shell.kill('SIGKILL');
  }

  private async removeOnExit({
    pid,
    exited,
  }: {
    readonly pid: number;
    readonly exited: Promise<unknown>;
  }): Promise<void> {
    await exited;
    this.pids.delete(pid);
    this.sendPids();
  }

  private sendPids(): void {
    this.shell.stdin?.write(`${[...this.pids].join(' ')}\n`);
  }
}
