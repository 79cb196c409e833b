import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Variable of the environment whose value marks all processes that descend from a group, also those that leave it. */
export const MARKER = 'WORKER_PROCESS_GROUP';
const MARK = new RegExp(`(?:^|\\0)${MARKER}=([\\w-]+)`);
/** Each pass finds the processes that were started since the previous one. */
const MAX_PASSES = 5;

/**
 * Kills processes that left their groups, on Linux. Groups and runs that end at the same time share one search of
 * `/proc`.
 */
class StrayProcesses {
  private readonly marks = new Set<string>();
  private readonly folders = new Set<string>();
  private next: Promise<void> | null = null;

  /** Resolves when no process with the marker of the group is left. */
  killMarked(id: string): Promise<void> {
    this.marks.add(id);
    return this.search();
  }

  /** Resolves when no process is left whose working directory is in the folder, an absolute path without links. */
  killIn(folder: string): Promise<void> {
    this.folders.add(folder);
    return this.search();
  }

  private search(): Promise<void> {
    this.next ??= nextTurn().then(() => this.killFound());
    return this.next;
  }

  private killFound(): void {
    const [marks, folders] = [new Set(this.marks), [...this.folders]];
    this.marks.clear();
    this.folders.clear();
    this.next = null;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const left = processIds().filter((pid) => isMarked(pid, marks) || worksIn(pid, folders));
      if (left.length === 0) return;
      left.forEach(killQuietly);
    }
  }
}

export const strays = new StrayProcesses();

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** Returns whether the environment of a process has one of these marks; false if it cannot be read. */
function isMarked(pid: number, marks: ReadonlySet<string>): boolean {
  if (marks.size === 0) return false;
  try {
    const [, id] = MARK.exec(readFileSync(`/proc/${pid}/environ`, 'latin1')) ?? [];
    return id !== undefined && marks.has(id) && !isZombie(pid);
  } catch {
    return false;
  }
}

/** Returns whether a process works in one of these folders, or did when it was deleted; false if it cannot be read. */
function worksIn(pid: number, folders: readonly string[]): boolean {
  if (folders.length === 0) return false;
  try {
    const place = `${readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '')}/`;
    return folders.some((folder) => place.startsWith(`${folder}/`)) && !isZombie(pid);
  } catch {
    return false;
  }
}

/** Empty where there is no `/proc`. */
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
