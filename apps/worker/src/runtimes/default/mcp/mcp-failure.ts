import { networkReason } from '../../../errors/network-reason.js';
import { tooLargeBehind } from '../../../bounded-fetch.js';

/** The messages of this client and of its transports that contain nothing a server sent. */
const OWN_MESSAGE =
  /^(?:Connection closed|Request timed out after \d+ms|MCP client initialization was aborted|Server does not support tools|Server sent invalid initialize result|Failed to parse server response|listing its tools took too long|The server printed a line of more than \d+ MiB)$/;

/**
 * Describes a failure of an MCP server, or of a call of one of its tools, without anything that the server sent: the
 * text becomes part of the `error_message` of an execution or step, through which the user who starts a run could read
 * internal services. The text does not contain the command either, because its variables have been replaced by their
 * values.
 */
export function describeMcpFailure(error: unknown): string {
  const spawnCode = spawnCodeOf(error);
  if (spawnCode !== undefined) return `its command cannot be started (${spawnCode})`;
  const tooLarge = tooLargeBehind(error);
  if (tooLarge !== null) return tooLarge.message;
  const status = statusOf(error);
  if (status !== undefined) return `it responded with ${status}`;
  if (isLocal(error)) return networkReason(error);
  if (error instanceof Error && OWN_MESSAGE.test(error.message)) return error.message;
  return 'its response is not that of an MCP server, or reports an error';
}

/** Returns the status of an HTTP response; the SSE transport has it in the message only. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  const [, status] = /^MCP SSE Transport Error: (\d{3})\b/.exec(error.message) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Returns the code of an error of the operating system when it starts a process, for example ENOENT. */
function spawnCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { syscall, code, cause } = error as Partial<NodeJS.ErrnoException>;
  return syscall?.startsWith('spawn') === true ? code : spawnCodeOf(cause);
}

/** Returns whether the operating system or `fetch` reports the failure, for example ECONNREFUSED. */
function isLocal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('message' in error && error.message === 'fetch failed') return true;
  return ('code' in error && typeof error.code === 'string') || ('cause' in error && isLocal(error.cause));
}
