import { dirname, join } from 'node:path';
import { ProvisionError } from './provision-error.js';
import { lastLines } from './server-log.js';

export interface FailedServer {
  /** The name shown in messages: Postgres or Redis. */
  readonly name: string;
  /** The setting that selects an already running server instead. */
  readonly variable: string;
  readonly dataDir: string;
  readonly logFile: string;
}

/** Returns a one-line message and a remedy for a server that failed to start, derived from what it printed. */
export function explainFailure(server: FailedServer, printed: string): ProvisionError {
  const { name, dataDir, logFile, variable } = server;
  if (/No space left on device|Disk quota exceeded/i.test(printed)) {
    return new ProvisionError(
      `The disk that holds ${dataDir} is full: ${name} cannot write.`,
      'Free some space, then start again.',
    );
  }
  if (/Read-only file system/i.test(printed)) {
    return new ProvisionError(`${dataDir} is on a read-only file system.`, 'Set DATA_DIR to a writable folder.');
  }
  if (/Permission denied/i.test(printed)) {
    return new ProvisionError(
      `${name} has no permission to read or write ${dataDir}: ${causeLine(printed)}`,
      `Make this user the owner of ${dirname(dataDir)}, or set DATA_DIR to another folder.`,
    );
  }
  if (/Bad file format reading the append only file/i.test(printed)) {
    return new ProvisionError(
      `A file of ${name} in ${dataDir} is damaged.`,
      `Remove ${join(dataDir, 'data')}: pending work is queued again from Postgres, events of the last hour are lost.`,
    );
  }
  return new ProvisionError(
    `${name} did not start: ${causeLine(printed)}`,
    `See its log ${logFile}, or set ${variable} to a server of your own.`,
  );
}

export function isPortTaken(printed: string): boolean {
  return /Address already in use/i.test(printed);
}

/** Returns the last line that reports an error, otherwise the last line. */
function causeLine(printed: string): string {
  const lines = lastLines(printed, 50);
  const fatal = lines.findLast((line) => /FATAL|PANIC|fatal|error/i.test(line));
  return fatal ?? lines.at(-1) ?? 'it printed nothing';
}
