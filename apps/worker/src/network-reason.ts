/** What broke a connection, in words: fetch hides it behind "fetch failed", as the cause of the cause perhaps. */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return networkReason(error.cause);
  // Where several addresses were tried there is a code, and no message.
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
