import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DispatchConfig, loadConfig, RetentionConfig } from '@app/config';
import { Partitions } from '@app/database';
import { PeriodicTasks } from '@app/dispatch';
import { ExecutionsModule } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Received, SentSpan } from './ingest/sent-span.js';
import { TraceIngestService } from './ingest/trace-ingest.service.js';
import { TraceService } from './reading/trace.service.js';
import { TraceRetentionRepository } from './trace-retention.repository.js';
import { TraceRetentionTask } from './trace-retention.task.js';
import { TracesModule } from './traces.module.js';

const DAY_MS = 86_400_000;
const START = 1_764_227_000_000_000_000n;

describe('the retention of traces', () => {
  const { signal } = new AbortController();
  let clock: ManualClock;
  let context: TestContext;
  let task: TraceRetentionTask;
  let caller: Caller;
  let traces = 0;

  beforeAll(async () => {
    clock = new ManualClock(new Date('2026-03-04T23:00:00.000Z'));
    context = await createTestContext([ExecutionsModule, OpenGateModule, TracesModule], { clock });
    caller = testCaller();
    // A task that runs only when a test calls it.
    task = new TraceRetentionTask(
      context.get(Partitions),
      new TraceRetentionRepository(context.database),
      loadConfig(RetentionConfig, {}),
      clock,
      new PeriodicTasks(new SchedulerRegistry(), loadConfig(DispatchConfig, {})),
    );
  });

  afterAll(() => context.close());

  const received = (trace_id: string, number: number): Received => {
    const none = { attributes: new Map(), events: [], links: [], dropped_attributes_count: 0 };
    const span: SentSpan = {
      ...none,
      trace_id,
      span_id: number.toString(16).padStart(16, '0'),
      parent_span_id: '',
      trace_state: '',
      name: `span ${number}`,
      kind: 1,
      status_code: 0,
      status_message: '',
      start_time_unix_nano: START,
      end_time_unix_nano: START + 1n,
      dropped_events_count: 0,
      dropped_links_count: 0,
    };
    return { resource: RESOURCE, scope: new Map(), span };
  };
  const RESOURCE = { attributes: new Map([['service.name', 'shop']]) };
  const newTraceId = (): string => (traces += 1).toString(16).padStart(32, '0');
  const store = async (traceId: string, number = 1): Promise<void> =>
    void (await context.get(TraceIngestService).ingest(caller, [received(traceId, number)]));
  const spansOf = async (traceId: string): Promise<string[]> => {
    const { spans } = await context.get(TraceService).readWhole(caller, traceId, () => undefined);
    return spans.map(({ span_id, resource_attributes }) => `${Number(span_id)} ${resource_attributes}`);
  };
  async function partitions(): Promise<string[]> {
    const rows = await context.database.sql<{ name: string }>(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'spans'::regclass ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  }

  it('keeps the spans of a trace in the partition of its first day, also before this partition exists', async () => {
    const traceId = newTraceId();
    await store(traceId, 1);
    await task.run(signal);
    clock.advance(2 * 3_600_000);
    await store(traceId, 2);
    await store(traceId, 1);
    expect(await spansOf(traceId)).toEqual(['1 {"service.name":"shop"}', '2 {"service.name":"shop"}']);
    expect(await context.get(TraceService).read(caller, traceId)).toMatchObject({ day: '2026-03-04', span_count: 2 });
    expect(await partitions()).toEqual(expect.arrayContaining(['spans_20260304', 'spans_20260311', 'spans_default']));
  });

  it('deletes a trace with its spans after the configured days, not earlier', async () => {
    const expired = newTraceId();
    await store(expired);
    clock.advance(30 * DAY_MS);
    const kept = newTraceId();
    await store(kept);
    await task.run(signal);
    expect(await spansOf(expired)).toHaveLength(1);
    clock.advance(DAY_MS);
    await task.run(signal);
    await expect(spansOf(expired)).rejects.toMatchObject({ code: 'trace_not_found' });
    expect(await spansOf(kept)).toHaveLength(1);
    expect((await partitions()).includes('spans_20260304')).toBe(false);
    const left = await context.database.sql('SELECT 1 FROM traces');
    expect(left).toHaveLength(1);
  });

  it('stores an expired trace anew if further spans arrive', async () => {
    const traceId = newTraceId();
    await store(traceId, 1);
    clock.advance(40 * DAY_MS);
    await task.run(signal);
    await store(traceId, 2);
    await task.run(signal);
    expect(await spansOf(traceId)).toHaveLength(1);
  });
});
