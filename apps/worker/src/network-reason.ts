/** Describes a network error by its root cause: the message of fetch is only "fetch failed". */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return networkReason(error.cause);
  // The error of several failed addresses has a code and no message.
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
