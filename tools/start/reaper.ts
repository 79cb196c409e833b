import { type ChildProcess, spawn } from 'node:child_process';

const graceSeconds = 10;

// Each line it reads is the whole list of processes; the end of its input is the death of its launcher.
const script = `
some_live() { for pid in $pids; do kill -0 "$pid" 2>/dev/null && return 0; done; return 1; }
while read -r line; do pids=$line; done
tries=0
while [ "$tries" -lt "$1" ] && some_live; do sleep 0.1; tries=$((tries + 1)); done
some_live && kill -9 $pids`;

/**
 * Outlives a launcher that is killed, and kills those of its processes that do not end by themselves then: one whose
 * loop is blocked cannot see that its launcher is gone. A shell, since it only waits.
 */
export class Reaper {
  private readonly shell: ChildProcess;
  private readonly pids = new Set<number>();

  constructor(seconds = graceSeconds) {
    const args = ['-c', script, 'reaper', String(seconds * 10)];
    this.shell = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    // Without a shell the processes still watch for themselves.
    this.shell.on('error', () => undefined);
    this.shell.stdin?.on('error', () => undefined);
    this.shell.unref();
  }

  watch(child: { readonly pid: number; readonly exited: Promise<unknown> }): void {
    this.pids.add(child.pid);
    this.tell();
    void this.forgetAtEnd(child);
  }

  /** When all ended in order. */
  dismiss(): void {
    this.shell.kill('SIGKILL');
  }

  private async forgetAtEnd({
    pid,
    exited,
  }: {
    readonly pid: number;
    readonly exited: Promise<unknown>;
  }): Promise<void> {
    await exited;
    this.pids.delete(pid);
    this.tell();
  }

  private tell(): void {
    this.shell.stdin?.write(`${[...this.pids].join(' ')}\n`);
  }
}
