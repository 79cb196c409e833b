/** Where a server listens that listens everywhere. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The address under which this machine reaches a server that listens on a host and port. Without a slash at its end. */
export function reachableUrl(host: string, port: number): string {
  const reachable = EVERYWHERE.has(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
