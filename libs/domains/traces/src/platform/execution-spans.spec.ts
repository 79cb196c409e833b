import { describe, expect, it } from '@jest/globals';
import type { TracedExecution } from '@app/executions';
import { spansOfExecution } from './execution-spans.js';

const START = new Date('2026-11-29T10:00:00.000Z');
const LEASED = new Date('2026-11-29T10:00:00.020Z');
const END = new Date('2026-11-29T10:00:01.000Z');

/** An execution that was triggered and queued within a millisecond. */
function traced(index: number): TracedExecution {
  const spanId = index.toString(16).padStart(16, '0');
  return {
    id: `execution-${index}`,
    execution_type: 'agent',
    entity_id: 'a',
    entity_name: 'adder',
    status: 'completed',
    error_message: null,
    cause: null,
    trigger_type: 'api',
    job_id: null,
    parent_execution_id: null,
    worker_queue_id: 'q',
    session_id: null,
    traceparent: `00-${'1'.repeat(32)}-${spanId}-01`,
    trace_origin: { trace_state: null, parent_span_id: null, started_at: START.getTime(), gate: null },
    created_at: START,
    completed_at: END,
    waited_for: null,
    attempts: [
      {
        attempt: 1,
        queued_at: START,
        leased_at: LEASED,
        started_at: LEASED,
        ended_at: END,
        worker_id: 'w',
        worker_name: null,
        outcome: 'completed',
        error_message: null,
        was_held: false,
      },
    ],
  };
}

describe('the spans of an execution', () => {
  it('are read in the order of their causes, also those of one millisecond', () => {
    for (let index = 1; index <= 20; index += 1) {
      const spans = spansOfExecution(traced(index));
      const [execution, ...children] = spans;
      const read = children.toSorted((a, b) =>
        a.start_time_unix_nano === b.start_time_unix_nano
          ? Number(a.span_id > b.span_id) - Number(a.span_id < b.span_id)
          : Number(a.start_time_unix_nano - b.start_time_unix_nano),
      );
      expect(read.map(({ name }) => name)).toEqual(['trigger api', 'queue', 'attempt 1']);
      for (const { start_time_unix_nano: start, end_time_unix_nano: end } of spans) {
        expect(start <= end && end <= (execution?.end_time_unix_nano ?? 0n)).toBe(true);
      }
    }
  });
});
