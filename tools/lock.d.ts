/** The content of a lock file, and a function that decides by the content whether the holder is still running. */
export interface LockHolder {
  readonly content: string;
  readonly isRunning: (content: string) => boolean;
}

/** Blocks until the lock is acquired and returns the function that releases it. */
export function acquireLock(path: string): () => void;

/** Acquires the lock file and returns undefined, or returns the content of the lock file if its holder is running. */
export function tryLock(path: string, holder: LockHolder): string | undefined;
