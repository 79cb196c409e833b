import type { ExitStatus } from './server-process.js';

/** A server on a loopback port; a child of this process that stops when this process dies. */
export interface ProvisionedServer {
  /** Contains the credentials; unchanged by restarts. */
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the running server exits, for any reason. */
  readonly exited: Promise<ExitStatus>;
  /** Writes pending data and stops. Idempotent. */
  stop(): Promise<void>;
  /** Sends a signal (SIGKILL simulates a crash) and resolves when the process has exited. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops the server if it runs and starts it on the same folder and port. */
  restart(): Promise<void>;
}
