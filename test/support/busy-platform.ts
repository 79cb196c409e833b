import { eventually } from '@app/testing';
import { call, type HttpResponse } from './http.js';
import { requestContinuously, type Ledger } from './ledger.js';
import type { Platform } from './platform.js';
import { Scenario } from './scenario.js';
import type { Subscriber } from './subscriber.js';

type Json = Record<string, unknown>;

const ASK = '[[tool ask_user {"question":"Which?"}]]';
const FINAL = new Set(['completed', 'failed', 'cancelled', 'terminated']);
/** So that a slow machine can complete what was started. */
const MAX_OPEN = 10;
/** Seconds; longer than the backup takes. */
const RETRY_DELAY = 20;

export interface StoredRun {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  /** The instant that has started it, in seconds; null without one. */
  readonly instant: number | null;
}

export interface StoredDelivery {
  readonly id: string;
  readonly path: string;
  readonly status: string;
}

/** Runs, of which one has ended, a job that is triggered, and a key. */
export interface Content {
  readonly agentId: string;
  readonly ended: string;
  readonly asking: string;
  /** Runs of one session, of which the first asks and the others wait for it. */
  readonly turns: readonly [string, string, string];
  /** A run in a queue without workers. */
  readonly queued: string;
  readonly jobId: string;
  readonly key: string;
}

/** A platform with something of everything that outlives a request. */
export class BusyPlatform {
  readonly user: Scenario;
  /** The queue that a worker serves. */
  private served = '';

  constructor(
    private readonly platform: Platform,
    private readonly subscriber: Subscriber,
  ) {
    this.user = new Scenario(platform);
  }

  /** Fills the platform. A worker serves the queue `served`, none the queue `unserved`. */
  async fill(): Promise<Content> {
    await this.send('POST', '/secrets', { name: 'TOKEN', value: 'more than eight characters' });
    const execution_environment = { env_vars: { TOKEN: 'secret:TOKEN' } };
    const agentId = await this.user.newAgent({ configuration: { ask_user: true }, execution_environment });
    this.served = await this.user.newQueue('served');
    const unserved = await this.user.newQueue('unserved');
    const place = { executor_type: 'specific_queue', worker_queue_name: 'served' } as const;
    const schedule = { trigger_type: 'cron', cron_schedule: '* * * * * *', prompt_template: 'Tick' } as const;
    const config = { catchup_window_seconds: 3600 };
    const jobId = await this.user.newJob(agentId, place);
    await this.user.newJob(agentId, { ...place, ...schedule, config });
    await this.platform.startWorker({ WORKER_QUEUE: 'served', WORKER_CONCURRENCY: '8' });
    for (const path of ['/healthy', '/failing']) {
      await this.send('POST', '/webhooks', { url: this.subscriber.url(path), events: ['done'] });
    }
    this.subscriber.on('/failing', (response) => response.writeHead(500).end());

    const ended = await this.start(agentId, 'Say hello');
    await this.user.waitUntilEnded(ended);
    const asking = await this.start(agentId, ASK);
    const inSession = (prompt: string): Promise<string> => this.start(agentId, prompt, { session_id: 'one' });
    const turns = [await inSession(ASK), await inSession('[[recall]]'), await inSession('The last one')] as const;
    await Promise.all([this.waitUntilAsked(asking), this.waitUntilAsked(turns[0])]);
    const queued = await this.start(agentId, 'Queued', { worker_queue_id: unserved });
    return { agentId, jobId, ended, asking, turns, queued, key: await this.newKey('before') };
  }

  /** Starts a run whose first attempt fails, and waits until it waits for the second one, which fails as well. */
  async startRetried(agentId: string): Promise<string> {
    const backoff = { type: 'fixed', delay_seconds: RETRY_DELAY };
    const config = { retry_policy: { max_attempts: 2, retry_on: ['failed', 'lost'], backoff } };
    const id = await this.start(agentId, '[[error 400]]', { config });
    await eventually(async () => {
      const run = (await this.runs()).find((one) => one.id === id);
      if (run?.attempt !== 2) throw new Error('The first attempt has not failed');
    });
    return id;
  }

  /** Starts a run of half a minute. */
  startLong(agentId: string): Promise<string> {
    return this.start(agentId, '[[pace 50ms]] [[tokens 600]]');
  }

  /** Triggers a job until it is stopped. */
  load(jobId: string): { ledger: Ledger<string>; stop: () => Promise<Ledger<string>> } {
    return requestContinuously(async (n) => (await this.user.trigger(jobId, { prompt: `run ${n}` })).execution_id, {
      width: 2,
      until: this.platform.stopped,
      mayContinue: async () => (await this.openRuns()).length < MAX_OPEN,
    });
  }

  async start(agentId: string, prompt: string, more: Json = {}): Promise<string> {
    const body = { prompt, worker_queue_id: this.served, ...more };
    return String((await this.send('POST', `/agents/${agentId}/execute`, body))['execution_id']);
  }

  async answer(id: string): Promise<void> {
    await this.send('POST', `/executions/${id}/message`, { message: 'The blue one' });
  }

  async waitUntilAsked(id: string): Promise<void> {
    await eventually(async () => {
      const { status } = await this.user.execution(id);
      if (status !== 'waiting_for_input') throw new Error(`The execution is ${status}`);
    });
  }

  async newKey(name: string): Promise<string> {
    const options = { key: this.platform.adminKey, scheme: 'UserKey', body: { name, scopes: ['agents:read'] } };
    const { body } = await call('POST', `${this.platform.platformApi?.url}/api/v1/auth/keys`, options);
    return String((body as Json)['key']);
  }

  async statusWith(key: string): Promise<number> {
    return (await this.request('GET', '/agents', { key })).status;
  }

  /** Returns the spans of the trace of a run. Later deliveries of its events add some. */
  async spansOf(id: string): Promise<Json[]> {
    const { trace_id } = await this.send('GET', `/executions/${id}`);
    return (await this.send('GET', `/traces/${String(trace_id)}/spans?flat=true`)) as unknown as Json[];
  }

  runs(): Promise<StoredRun[]> {
    return this.platform.sql<StoredRun>(`SELECT id, status, attempt,
      extract(epoch FROM (trigger_metadata ->> 'scheduled_at')::timestamptz)::integer AS instant FROM executions`);
  }

  async openRuns(): Promise<StoredRun[]> {
    return (await this.runs()).filter(({ status }) => !FINAL.has(status));
  }

  deliveries(): Promise<StoredDelivery[]> {
    return this.platform.sql<StoredDelivery>(`SELECT d.id, d.status, substring(w.url from '/[a-z]+$') AS path
      FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id`);
  }

  async send(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.request(method, path, { key: this.platform.adminKey, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Json;
  }

  request(method: string, path: string, options: Parameters<typeof call>[2]): Promise<HttpResponse> {
    return call(method, `${this.platform.url}/api/v1${path}`, options);
  }
}
