import { ApiError, StreamRefused } from '@app/api-client';
import { CommandError, EXIT_CODES, type ExitCode } from './errors.js';

/** Returns the error that describes any failure of a command to its user. */
export function describeError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof ApiError) return describeResponse(error.status, error.body, error.retryAfterSeconds);
  if (error instanceof StreamRefused) return describeResponse(error.status, error.message, error.retryAfterSeconds);
  const code = networkCodeOf(error);
  if (code !== null) {
    return new CommandError(
      `The platform is not reachable (${code}).`,
      EXIT_CODES.unavailable,
      'Check that it runs, and its address: agentctl profiles list',
    );
  }
  return new CommandError(error instanceof Error ? error.message : String(error), EXIT_CODES.failed);
}

/** The exit code and the advice by status. For 429 and 5xx the advice is to try again; other statuses have none. */
const BY_STATUS: Readonly<Record<number, readonly [ExitCode, string]>> = {
  400: [EXIT_CODES.data, 'Correct the request.'],
  401: [EXIT_CODES.permission, 'Sign in with a key that is valid: agentctl login'],
  403: [EXIT_CODES.permission, 'Use a key with this scope; agentctl whoami shows the scopes of this one.'],
  404: [EXIT_CODES.failed, 'Check the id or name; the list command of the resource shows both.'],
  413: [EXIT_CODES.data, 'Send less at once.'],
  422: [EXIT_CODES.data, 'Correct the fields named above.'],
};

function describeResponse(status: number, body: unknown, retryAfterSeconds: number | null): CommandError {
  const message = messageOf(body) ?? `The platform responded with status ${status}.`;
  const [exitCode, advice] = BY_STATUS[status] ?? [EXIT_CODES.failed, null];
  if (status !== 429 && status < 500) return new CommandError(message, exitCode, advice);
  const wait = retryAfterSeconds === null ? 'Try again.' : `Try again in ${retryAfterSeconds} seconds.`;
  return new CommandError(message, EXIT_CODES.temporary, wait);
}

interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** The text of an error body of either API: `detail` is a text or a list of faults, `details` a text. */
function messageOf(body: unknown): string | null {
  if (typeof body === 'string') return body === '' ? null : body;
  const { detail, details, error } = (body ?? {}) as {
    readonly detail?: string | readonly Fault[];
    readonly details?: string;
    readonly error?: string;
  };
  if (Array.isArray(detail)) return detail.map(faultText).join('\n');
  if (typeof detail === 'string') return detail;
  return details ?? error ?? null;
}

/** The first element of `loc` is the part of the request, for example `body`. */
function faultText({ loc, msg }: Fault): string {
  const [part = 'request', ...path] = loc;
  return `${path.length === 0 ? part : path.join('.')}: ${msg}`;
}

/** The root cause of a failed fetch, whose own message is only "fetch failed"; null for other errors. */
export function networkCodeOf(error: unknown): string | null {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return null;
  return (error.cause as NodeJS.ErrnoException).code ?? error.cause.message;
}
