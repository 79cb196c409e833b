import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns the start time of a process as an opaque value that can only be compared for equality; undefined if there is
 * no such process. Process ids are reused; an id together with this value identifies one process.
 */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return firstLine('ps', ['-o', 'lstart=', '-p', String(pid)]);
  const fields = statFields(pid);
  // A zombie has exited; its parent has not reaped it yet.
  return fields === undefined || fields[0] === 'Z' ? undefined : fields[19];
}

export function parentOf(pid: number): number | undefined {
  const text =
    process.platform === 'linux' ? statFields(pid)?.[1] : firstLine('ps', ['-o', 'ppid=', '-p', String(pid)]);
  return text === undefined ? undefined : Number(text);
}

/** Returns the command line of a process, separated by spaces; undefined if there is no such process. */
export function commandLineOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return firstLine('ps', ['-o', 'command=', '-p', String(pid)]);
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Duration of a clock tick in /proc. */
const TICK_MS = 10;

/** Returns the CPU time in milliseconds of a process and its ended children; 0 where there is no /proc. */
export function cpuTimeOf(pid: number): number {
  const ticks = statFields(pid)?.slice(11, 15) ?? [];
  return ticks.reduce((sum, text) => sum + Number(text) * TICK_MS, 0);
}

/**
 * Returns the fields after the name in /proc/<pid>/stat, see proc(5): [0] state, [1] parent, [11] to [14] CPU time of the
 * process and of its ended children, [19] start in clock ticks since boot.
 */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function firstLine(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || undefined;
  } catch {
    return undefined;
  }
}
