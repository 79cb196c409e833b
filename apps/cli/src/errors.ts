/** 64 to 78 are codes of sysexits.h, 130 is that of shells for SIGINT, so that scripts can distinguish failures. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  /**
   * The command succeeded with a negative result: a followed execution did not complete, a policy denied, a check
   * failed, or `--dry-run` found differences.
   */
  negative: 3,
  usage: 64,
  data: 65,
  unavailable: 69,
  temporary: 75,
  permission: 77,
  config: 78,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** A failure with the exit code of the command and, optionally, advice for the user. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode,
    readonly advice: string | null = null,
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

export const usageError = (message: string, advice: string | null = null): CommandError =>
  new CommandError(message, EXIT_CODES.usage, advice);
