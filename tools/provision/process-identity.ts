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
 * When the process began, in a form that only compares for equality; undefined when there is no such process.
 * A process id together with this value names one process for good: ids are reused.
 */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return firstLine('ps', ['-o', 'lstart=', '-p', String(pid)]);
  const fields = statFields(pid);
  // A zombie no longer runs; its parent has merely not collected it.
  return fields === undefined || fields[0] === 'Z' ? undefined : fields[19];
}

export function parentOf(pid: number): number | undefined {
  const text =
    process.platform === 'linux' ? statFields(pid)?.[1] : firstLine('ps', ['-o', 'ppid=', '-p', String(pid)]);
  return text === undefined ? undefined : Number(text);
}

/** The command line of a process, its arguments separated by blanks; undefined when there is no such process. */
export function commandLineOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return firstLine('ps', ['-o', 'command=', '-p', String(pid)]);
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** What follows the name in /proc/<pid>/stat, proc(5): [0] state, [1] parent, [19] start in clock ticks since boot. */
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
