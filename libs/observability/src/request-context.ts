import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';

/** Ids shared by all log lines of one request or background job. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C trace id: 32 lower-case hex digits. */
  readonly traceId: string;
  /** Set once the execution of the request is known. */
  executionId?: string;
  /** Set once the organization of the request is known, because PostgreSQL connections are counted by organization. */
  organizationId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Adds the execution id to all further log lines of the current request. */
export function noteExecution(executionId: string): void {
  const context = storage.getStore();
  if (context !== undefined) context.executionId = executionId;
}

/** Sets the organization of the current request. */
export function noteOrganization(organizationId: string): void {
  const context = storage.getStore();
  if (context !== undefined) context.organizationId = organizationId;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Returns the trace id of a W3C `traceparent` header, or a new one if the header is missing or malformed. */
export function traceIdFrom(traceparent: string | undefined): string {
  const traceId = TRACEPARENT.exec(traceparent ?? '')?.[1];
  return traceId === undefined || /^0+$/.test(traceId) ? randomUUID().replaceAll('-', '') : traceId;
}

/** Returns a `traceparent` header with a new span id in the given trace. */
export function traceparentOf(traceId: string, { isSampled } = { isSampled: true }): string {
  return `00-${traceId}-${randomBytes(8).toString('hex')}-${isSampled ? '01' : '00'}`;
}
