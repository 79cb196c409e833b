import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExecutionsModule } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import fc from 'fast-check';
import type { AttributeValue } from './attributes.js';
import type { Received, SentSpan } from './sent-span.js';
import { TraceIngestService } from './trace-ingest.service.js';
import { TraceService } from '../reading/trace.service.js';
import { TracesModule } from '../traces.module.js';

/** What a response shows of a span. */
interface StoredFields {
  readonly name: string;
  readonly status_code: string;
  readonly start_time_unix_nano: number;
  readonly end_time_unix_nano: number | null;
  readonly usage: Readonly<Record<'input_tokens' | 'output_tokens' | 'total_tokens' | 'cost', number | null>> & {
    readonly model: string | null;
  };
}

const RESOURCE = { attributes: new Map([['service.name', 'shop']]) };

interface Sent {
  readonly id: number;
  readonly parent: number | null;
  readonly name: string;
  readonly status: number;
  readonly start: bigint;
  readonly length: bigint | null;
  readonly model: string | null;
  readonly tokens: bigint | null;
  readonly operation: string;
}

const PLAIN = { parent: 1, name: 'one', status: 0, start: 5n, length: 5n, model: 'é', tokens: 5n, operation: 'chat' };
/** Each span as it is first sent, and with one change, most of the same size. The order of the models differs in UTF-8 and UTF-16. */
const VARIANTS: readonly (readonly [Partial<Sent>, Partial<Sent>])[] = [
  [{ parent: null }, { parent: null, start: 4n }],
  [{}, { tokens: 7n }],
  [{}, { model: '\u{1f600}' }],
  [{ model: '\uff5e' }, { model: 'b"\\{},' }],
  [{ tokens: null }, { status: 2 }],
  [{ operation: 'invoke_agent', tokens: 9n }, { length: null }],
  [{ length: null }, { length: 9n }],
  [
    { name: 'two', start: 3n },
    { name: 'six', start: 3n },
  ],
];
/** Few different spans, so that many are sent again, as they were or changed. */
const sentSpans = fc
  .tuple(fc.nat({ max: VARIANTS.length - 1 }), fc.constantFrom(0, 0, 0, 1))
  .map(([index, variant]): Sent => ({ id: index + 1, ...PLAIN, ...VARIANTS[index]?.[variant === 0 ? 0 : 1] }));

const spanId = (number: number): string => number.toString(16).padStart(16, '0');

function received(trace_id: string, sent: Sent): Received {
  const attributes = new Map<string, AttributeValue>([['gen_ai.operation.name', sent.operation]]);
  if (sent.model !== null) attributes.set('gen_ai.request.model', sent.model);
  if (sent.tokens !== null) attributes.set('gen_ai.usage.input_tokens', sent.tokens);
  if (sent.tokens !== null) attributes.set('gen_ai.usage.cost', Number(sent.tokens) / 4);
  const span: SentSpan = {
    attributes,
    events: [],
    links: [],
    dropped_attributes_count: 0,
    dropped_events_count: 0,
    dropped_links_count: 0,
    trace_id,
    span_id: spanId(sent.id),
    parent_span_id: sent.parent === null ? '' : spanId(sent.parent),
    trace_state: '',
    name: sent.name,
    kind: 1,
    status_code: sent.status,
    status_message: '',
    start_time_unix_nano: sent.start,
    end_time_unix_nano: sent.length === null ? 0n : sent.start + sent.length,
  };
  return { resource: RESOURCE, scope: new Map(), span };
}

/** Null if no value is known. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

describe('the row of a trace', () => {
  let context: TestContext;
  let caller: Caller;

  beforeAll(async () => {
    context = await createTestContext([ExecutionsModule, OpenGateModule, TracesModule]);
    caller = testCaller();
  });

  afterAll(() => context.close());

  it('has the sums of the spans, however they arrived: at the same time, again, changed', async () => {
    const batches = fc.array(fc.array(sentSpans, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(batches, async (sent) => {
        const traceId = randomBytes(16).toString('hex');
        const ingest = context.get(TraceIngestService);
        await Promise.all(
          sent.map((batch) =>
            ingest.ingest(
              caller,
              batch.map((span) => received(traceId, span)),
            ),
          ),
        );
        const { trace, spans } = await context.get(TraceService).readWhole(caller, traceId, () => undefined);
        const stored = spans.map(({ fields, parent_span_id, span_id }) => ({
          ...(JSON.parse(fields) as StoredFields),
          parent_span_id,
          span_id,
        }));
        const requests = stored.flatMap(({ usage }) => usage ?? []);
        const roots = stored.filter(({ parent_span_id }) => parent_span_id === null);
        const ends = stored.flatMap(({ end_time_unix_nano: end }) => end ?? []);
        const [first] = [...(roots.length > 0 ? roots : stored)].sort(
          (one, other) =>
            one.start_time_unix_nano - other.start_time_unix_nano || (one.span_id < other.span_id ? -1 : 1),
        );
        const cost = sumOf(requests.map((request) => request.cost));
        const models = [...new Set(requests.flatMap(({ model }) => model ?? []))];
        const errors = stored.filter(({ status_code }) => status_code === 'ERROR').length;
        expect(new Set(spans.map(({ span_id }) => span_id))).toEqual(new Set(sent.flat().map(({ id }) => spanId(id))));
        expect({ ...trace, cost: trace.cost_nanos === null ? null : Number(trace.cost_nanos) / 1e9 }).toMatchObject({
          name: first?.name,
          span_count: stored.length,
          error_count: errors,
          open_count: stored.length - ends.length,
          root_count: roots.length,
          root_error_count: roots.filter(({ status_code }) => status_code === 'ERROR').length,
          start_ns: String(Math.min(...stored.map(({ start_time_unix_nano: start }) => start))),
          end_ns: ends.length === 0 ? null : String(Math.max(...ends)),
          models: models.sort((one, other) => (one.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0)),
          input_tokens: textOf(sumOf(requests.map((request) => request.input_tokens))),
          output_tokens: textOf(sumOf(requests.map((request) => request.output_tokens))),
          total_tokens: textOf(sumOf(requests.map((request) => request.total_tokens))),
          cost,
        });
      }),
      { numRuns: 80 },
    );
  });
});

function textOf(sum: number | null): string | null {
  return sum === null ? null : String(sum);
}
