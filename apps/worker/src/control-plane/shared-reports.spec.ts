import { describe, expect, it } from '@jest/globals';
import { ControlPlaneError } from './control-plane.errors.js';
import { SharedReports, type ReportOutcome, type WireReport } from './shared-reports.js';

const OUTCOME: ReportOutcome = {
  status: 200,
  error_code: null,
  error: null,
  retry_after: null,
  execution_status: 'running',
  event_id: null,
  message_count: null,
};

/** A control plane whose responses the test sends. */
class Requests {
  /** The executions of each request, in the order of the requests. */
  readonly begun: string[][] = [];
  readonly results: Promise<string>[] = [];
  private readonly pending: {
    readonly resolve: (outcomes?: readonly ReportOutcome[]) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  private readonly reports = new SharedReports(async (reports) => {
    const ids = reports.map(({ execution_id }) => execution_id);
    return (await this.request(ids)) ?? ids.map(() => OUTCOME);
  });

  send(id: string, { signal = new AbortController().signal, response = '' } = {}): Promise<string> {
    const report: WireReport = { execution_id: id, lease_token: 't', update: { response } };
    const alone = async (): Promise<string> => {
      await this.request([id]);
      return 'alone';
    };
    const read = ({ execution_status }: ReportOutcome): string => `together: ${execution_status}`;
    const sent = this.reports.send({ what: 'patch', report, signal, alone, read });
    sent.catch(() => undefined);
    this.results.push(sent);
    return sent;
  }

  /** Responds to the oldest request. */
  async respond(outcomes?: readonly ReportOutcome[]): Promise<void> {
    this.pending.shift()?.resolve(outcomes);
    await turn();
  }

  async fail(error: Error): Promise<void> {
    this.pending.shift()?.reject(error);
    await turn();
  }

  private request(ids: string[]): Promise<readonly ReportOutcome[] | undefined> {
    this.begun.push(ids);
    return new Promise((resolve, reject) => this.pending.push({ resolve, reject }));
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

/** Two requests under way, and these reports waiting for them. */
function underLoad(...ids: string[]): Requests {
  const requests = new Requests();
  for (const id of ['busy-1', 'busy-2', ...ids]) void requests.send(id);
  return requests;
}

describe('SharedReports', () => {
  it('sends a report alone and at once while few are under way', async () => {
    const requests = new Requests();
    const one = requests.send('a');
    const other = requests.send('b');
    expect(requests.begun).toEqual([['a'], ['b']]);
    await requests.respond();
    await requests.respond();
    expect(await Promise.all([one, other])).toEqual(['alone', 'alone']);
  });

  it('sends those that wait in one request, in their order, and one that waits by itself alone', async () => {
    const requests = underLoad('a', 'b', 'c');
    expect(requests.begun).toHaveLength(2);
    await requests.respond();
    expect(requests.begun.slice(2)).toEqual([['a', 'b', 'c']]);
    const last = requests.send('d');
    await requests.respond();
    await requests.respond();
    await requests.respond();
    expect(requests.begun.slice(3)).toEqual([['d']]);
    expect(await last).toBe('alone');
    expect(await Promise.all(requests.results.slice(2, 5))).toEqual(Array(3).fill('together: running'));
  });

  it('gives each report the result that it would have had alone', async () => {
    const requests = underLoad('good', 'lost', 'busy');
    const lost = { ...OUTCOME, status: 409, error_code: 'lease_lost', error: { detail: 'The lease is stale' } };
    const busy = { ...OUTCOME, status: 503, error_code: 'store_unavailable', error: { detail: '' }, retry_after: 2 };
    await requests.respond();
    await requests.respond();
    await requests.respond([OUTCOME, lost, busy]);
    const [good, ...others] = requests.results.slice(2);
    expect(await good).toBe('together: running');
    const errors = await Promise.all(others.map((result) => result.catch((error: unknown) => error)));
    expect(errors).toMatchObject([
      { kind: 'gone', problem: { code: 'lease_lost', detail: 'The lease is stale' } },
      { kind: 'unavailable', retryAfterMs: 2000 },
    ]);
  });

  it('repeats each report alone if the control plane refuses the request as a whole', async () => {
    const requests = underLoad('a', 'b');
    await requests.respond();
    await requests.respond();
    await requests.fail(new ControlPlaneError('gone', 'no such route'));
    expect(requests.begun.slice(3)).toEqual([['a'], ['b']]);
    await requests.respond();
    await requests.respond();
    expect(await Promise.all(requests.results.slice(2))).toEqual(['alone', 'alone']);
  });

  it('leaves the repetition of a request without a response to its callers', async () => {
    const requests = underLoad('a', 'b');
    await requests.respond();
    await requests.respond();
    const failure = new ControlPlaneError('unavailable', 'no response');
    await requests.fail(failure);
    expect(requests.begun).toHaveLength(3);
    for (const result of requests.results.slice(2)) await expect(result).rejects.toBe(failure);
  });

  it('neither sends a report whose caller has given up, nor lets that caller wait', async () => {
    const requests = underLoad();
    const given = new AbortController();
    const result = requests.send('given up', { signal: given.signal });
    void requests.send('a');
    void requests.send('b');
    given.abort(new Error('abandoned'));
    await expect(result).rejects.toThrow('abandoned');
    await requests.respond();
    expect(requests.begun.slice(2)).toEqual([['a', 'b']]);
  });

  it('refuses a report of a caller that has given up before, instead of letting it wait', async () => {
    const requests = underLoad();
    const late = requests.send('late', { signal: AbortSignal.abort(new Error('stopped')) });
    await expect(late).rejects.toThrow('stopped');
    expect(requests.begun).toHaveLength(2);
  });

  it('sends large reports alone and bounds the bytes of a request', async () => {
    const requests = underLoad();
    void requests.send('large', { response: 'x'.repeat(100_000) });
    expect(requests.begun.slice(2)).toEqual([['large']]);
    for (let n = 0; n < 20; n += 1) void requests.send(String(n), { response: 'x'.repeat(60_000) });
    for (let n = 0; n < 6; n += 1) await requests.respond();
    expect(requests.begun.slice(3).map(({ length }) => length)).toEqual([8, 8, 4]);
  });

  it('does not wait for requests that do not end', async () => {
    const requests = underLoad('a', 'b');
    while (requests.begun.length < 3) await turn();
    expect(requests.begun.slice(2)).toEqual([['a', 'b']]);
  });
});
