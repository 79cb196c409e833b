import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { loadConfig, StreamConfig } from '@app/config';
import { RedisConnections } from '@app/redis';
import { SseResponse } from '@app/http';
import { SystemClock, type DomainError, type JsonObject } from '@app/kernel';
import { EventHub } from '../streams/event-hub.js';
import { EventLog } from '../log/event-log.js';
import { EventStream, type History } from '../streams/event-stream.js';
import { StreamBudget } from '../streams/stream-budget.js';
import type { ExecutionRef } from '../log/event-types.js';
import type { FinalExecution, FinalExecutions } from '../streams/final-executions.js';

/** The event components of an API process: Redis connections, log, hub, and streams over HTTP. */
export class StreamProcess {
  readonly log: EventLog;
  readonly connections: RedisConnections;
  readonly stream: EventStream;
  readonly budget: StreamBudget;
  /** The stored messages of an execution, each of which is a page. */
  readonly messages = new Map<string, readonly JsonObject[]>();
  /** Final executions, as PostgreSQL would return them. */
  private readonly final: FinalExecution[] = [];
  /** Number of pages of stored messages that streams have read. */
  pagesRead = 0;
  private readonly finals: FinalExecutions = {
    findFinal: (executions) => Promise.resolve(this.finalAmong(executions)),
  };
  private readonly server = createServer((request, response) => this.serve(request, response));

  private constructor(redisUrl: string, limits: StreamConfig) {
    const clock = new SystemClock();
    this.connections = new RedisConnections({ url: redisUrl });
    this.log = new EventLog(this.connections, clock);
    this.budget = new StreamBudget(limits);
    this.stream = new EventStream(this.log, new EventHub(this.connections), this.finals, this.budget, clock);
    this.stream.onModuleInit();
  }

  static async start(redisUrl: string, limits: Partial<StreamConfig> = {}): Promise<StreamProcess> {
    const process = new StreamProcess(redisUrl, { ...loadConfig(StreamConfig), ...limits });
    process.server.listen(0, '127.0.0.1');
    await once(process.server, 'listening');
    return process;
  }

  url({ organizationId, executionId }: ExecutionRef): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${organizationId}/${executionId}`;
  }

  async publish(execution: ExecutionRef, data: JsonObject, type = 'message_chunk'): Promise<string> {
    const published = await this.log.publish(execution, { event_type: type, data }, null);
    return published?.event_id ?? 'rejected';
  }

  /** Ends an execution at this time, which the process sees immediately. The events of its end are not yet published. */
  complete(execution: ExecutionRef, done: JsonObject, updatedAt: Date): void {
    this.final.push({ ...execution, done, updatedAt });
  }

  /** Returns the number of open client connections. */
  connectionCount(): Promise<number> {
    return promisify(this.server.getConnections.bind(this.server))();
  }

  async stop(): Promise<void> {
    this.stream.beforeApplicationShutdown();
    this.server.closeAllConnections();
    this.server.close();
    this.connections.onApplicationShutdown();
    await once(this.server, 'close');
  }

  private finalAmong(executions: readonly ExecutionRef[]): FinalExecution[] {
    const ids = executions.map((execution) => execution.executionId);
    return this.final.filter((final) => ids.includes(final.executionId));
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const [, organizationId = '', executionId = ''] = (request.url ?? '').split('/');
    const final = this.final.find((other) => other.executionId === executionId);
    const lastEventId = request.headers['last-event-id'];
    const opened = {
      execution: { id: executionId, organization_id: organizationId, status: 'running' },
      history: this.history(executionId),
      final: final ?? null,
      lastEventId: typeof lastEventId === 'string' ? lastEventId : null,
    };
    this.stream
      .open(
        { organizationId },
        () => Promise.resolve(opened),
        () => new SseResponse(response, new AbortController().signal),
      )
      .catch((error: unknown) => response.writeHead(503).end((error as DomainError).code));
  }

  private history(executionId: string): History {
    const messages = this.messages.get(executionId) ?? [{ role: 'user', content: 'stored' }];
    let sent = 0;
    return {
      next: () => {
        sent += 1;
        this.pagesRead += 1;
        return Promise.resolve({ messages: messages.slice(sent - 1, sent), complete: sent >= messages.length });
      },
    };
  }
}
