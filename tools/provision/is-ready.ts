const TIMEOUT_MS = 2_000;

/** Returns whether `GET url` returns 200 within two seconds. */
export async function isReady(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}
