import { dirname, join } from 'node:path';
import { ProvisionError } from './provision-error.js';
import { lastLines } from './server-log.js';

export interface FailedServer {
  /** As a person would call it: Postgres, Redis. */
  readonly name: string;
  /** The variable that names an already running server instead. */
  readonly variable: string;
  readonly dataDir: string;
  readonly logFile: string;
}

/** Turns what a server printed before it gave up into one line and one remedy. */
export function explainFailure(server: FailedServer, printed: string): ProvisionError {
  const { name, dataDir, logFile, variable } = server;
  if (/No space left on device|Disk quota exceeded/i.test(printed)) {
    return new ProvisionError(
      `The disk that holds ${dataDir} is full: ${name} cannot write.`,
      'Free some space, then start again.',
    );
  }
  if (/Read-only file system/i.test(printed)) {
    return new ProvisionError(
      `${dataDir} is on a read-only file system.`,
      'Set DATA_DIR to a folder that can be written.',
    );
  }
  if (/Permission denied/i.test(printed)) {
    return new ProvisionError(
      `${name} may not read or write ${dataDir}: ${cause(printed)}`,
      `Give this user the folder ${dirname(dataDir)}, or set DATA_DIR to another one.`,
    );
  }
  if (/Bad file format reading the append only file/i.test(printed)) {
    return new ProvisionError(
      `A file of ${name} in ${dataDir} is damaged.`,
      `Remove ${join(dataDir, 'data')}: waiting work is queued again from Postgres, events of the last hour are lost.`,
    );
  }
  return new ProvisionError(
    `${name} did not start: ${cause(printed)}`,
    `Its log is ${logFile}; or set ${variable} to a server of your own.`,
  );
}

export function isPortTaken(printed: string): boolean {
  return /Address already in use/i.test(printed);
}

/** The line that names the reason: the last fatal one, else the last line at all. */
function cause(printed: string): string {
  const lines = lastLines(printed, 50);
  const fatal = lines.findLast((line) => /FATAL|PANIC|fatal|error/i.test(line));
  return fatal ?? lines.at(-1) ?? 'it printed nothing';
}
