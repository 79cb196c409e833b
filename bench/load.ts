import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Drives one loopback server for a while. A single failed answer spoils the figure, so it throws. */
export async function load({ url, method, headers, body, connections, seconds }: Load): Promise<LoadResult> {
  if (!url.startsWith('http://127.0.0.1:')) throw new Error('Load goes to loopback only');
  const result = await autocannon({
    url,
    method,
    connections,
    duration: seconds,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed`);
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** One request at a time: the time each took, in milliseconds. */
export async function oneByOne(count: number, request: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const started = performance.now();
    await request();
    times.push(performance.now() - started);
  }
  return times;
}
