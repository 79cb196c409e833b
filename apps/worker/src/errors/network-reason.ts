/**
 * Describes a network error by its root cause: the message of fetch is only "fetch failed". Contains nothing that the
 * server sent.
 */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return networkReason(error.cause);
  const code = 'code' in error ? String(error.code) : '';
  // The error of several failed addresses has a code and no message; that of a certificate repeats the names in it.
  return error.message === '' || code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? code : error.message;
}
