/** Returns the stack of an error. It contains the message, so it must be redacted before it is logged. */
export function stackOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
