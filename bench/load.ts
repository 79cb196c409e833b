import autocannon from 'autocannon';

type Headers = Readonly<Record<string, string>>;

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /**
   * Headers of every request, or a list that the connections share and repeat, with at least one element per
   * connection.
   */
  readonly headers?: Headers | readonly Headers[] | undefined;
  readonly body?: unknown;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly requests: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Sends requests to one loopback server for a while. Throws when a single response is not a success. */
export async function load({ url, method, headers = {}, body, connections, seconds }: Load): Promise<LoadResult> {
  if (!url.startsWith('http://127.0.0.1:')) throw new Error('Load goes to loopback only');
  const common = { 'Content-Type': 'application/json' };
  const each = Array.isArray(headers) ? headers : undefined;
  let place = 0;
  const result = await autocannon({
    url,
    method,
    connections,
    duration: seconds,
    headers: each === undefined ? { ...common, ...headers } : common,
    ...(each === undefined
      ? {}
      : {
          setupClient: (client: autocannon.Client): void => {
            const own = each.filter((_headers, n) => n % connections === place);
            place += 1;
            client.setRequests(own.map((one) => ({ headers: { ...common, ...one } })));
          },
        }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed`);
  return {
    perSecond: result.requests.average,
    requests: result.requests.total,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

/** Sends one request after the other and returns the duration of each, in milliseconds. */
export async function oneByOne(count: number, request: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const started = performance.now();
    await request();
    times.push(performance.now() - started);
  }
  return times;
}
