import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from './trace-context.js';

/** Ids shared by all log lines of one request or background job. */
export interface RequestContext extends TraceContext {
  readonly requestId: string;
  /** Set once the execution of the request is known. */
  executionId?: string;
  /** The span of that execution, if the request has started it. Log lines name it instead of the caller's. */
  executionSpanId?: string;
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

/** Adds the execution, and its span if given, to all further log lines of the current request. */
export function noteExecution({
  executionId,
  spanId,
}: {
  readonly executionId: string;
  readonly spanId?: string;
}): void {
  const context = storage.getStore();
  if (context === undefined) return;
  context.executionId = executionId;
  if (spanId !== undefined) context.executionSpanId = spanId;
}

/** Sets the organization of the current request. */
export function noteOrganization(organizationId: string): void {
  const context = storage.getStore();
  if (context !== undefined) context.organizationId = organizationId;
}
