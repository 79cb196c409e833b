import type { OtlpSpan, OtlpValue } from '../support/otlp-request.js';

/** A span as an exporter could send it, and what must come of it. */
export interface OtlpCase {
  readonly name: string;
  /** What differs from a valid span. */
  readonly span: Partial<OtlpSpan>;
  /** Only JSON can express it. */
  readonly onlyJson?: true;
  /** Fields of the stored span, or why it is refused. */
  readonly gives: { readonly stored: Readonly<Record<string, unknown>> } | { readonly refused: string };
}

const START = 1_764_227_000_000_000_001n;
const END = START + 1_500_000n;
/** A valid span without ids. */
export const VALID: Partial<OtlpSpan> = {
  name: 'valid',
  startTimeUnixNano: String(START),
  endTimeUnixNano: String(END),
};

const text = (stringValue: string): OtlpValue => ({ stringValue });
const attribute = (value: OtlpValue): Partial<OtlpSpan> => ({ attributes: [{ key: 'a', value }] });
const many = (count: number): Partial<OtlpSpan> => ({
  attributes: Array.from({ length: count }, (_attribute, index) => ({ key: `a${index}`, value: text('x') })),
});

/** Returns a value in this many lists. */
function nested(levels: number): OtlpValue {
  return Array.from({ length: levels }).reduce<OtlpValue>((value) => ({ arrayValue: { values: [value] } }), text('x'));
}

function nestedJson(levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((value) => [value], 'x');
}

const stored = (fields: Readonly<Record<string, unknown>>) => ({ stored: fields });
const refused = (reason: string) => ({ refused: reason });

export const OTLP_CORPUS: readonly OtlpCase[] = [
  {
    name: 'a span with every field',
    span: {
      traceState: 'vendor=1',
      kind: 4,
      status: { code: 1, message: 'fine' },
      droppedAttributesCount: 2,
      events: [{ name: 'e', timeUnixNano: String(START), attributes: [{ key: 'k', value: { boolValue: true } }] }],
      links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), attributes: [{ key: 'k', value: text('v') }] }],
    },
    gives: stored({
      kind: 'PRODUCER',
      status_code: 'OK',
      status_message: 'fine',
      trace_state: 'vendor=1',
      duration_ns: 1_500_000,
      duration_ms: 1,
      dropped_attributes_count: 2,
      events: [{ name: 'e', attributes: { k: true }, dropped_attributes_count: 0 }],
      links: [{ trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), trace_state: '', attributes: { k: 'v' } }],
    }),
  },
  { name: 'an empty name', span: { name: '' }, gives: stored({ name: '' }) },
  { name: 'a name of 4,096 characters', span: { name: 'n'.repeat(4096) }, gives: stored({ name: 'n'.repeat(4096) }) },
  { name: 'a longer name', span: { name: 'n'.repeat(4097) }, gives: refused('its name has more than 4096 characters') },
  {
    name: 'an operation that every object has as a property',
    span: { attributes: [{ key: 'gen_ai.operation.name', value: text('constructor') }] },
    gives: stored({ attributes: { 'gen_ai.operation.name': 'constructor' } }),
  },
  {
    name: 'a kind that every object has as a property',
    span: { attributes: [{ key: 'openinference.span.kind', value: text('toString') }] },
    gives: stored({ attributes: { 'openinference.span.kind': 'toString' } }),
  },
  { name: 'NUL in the name', span: { name: 'a\u0000' }, gives: refused('its name contains NUL') },
  {
    name: 'an unpaired surrogate in the name',
    span: { name: '\ud800' },
    onlyJson: true,
    gives: refused('its name contains NUL or unpaired surrogates'),
  },
  {
    name: 'NUL in the status message',
    span: { status: { message: '\u0000' } },
    gives: refused('its status message contains NUL'),
  },
  { name: 'no kind', span: {}, gives: stored({ kind: 'INTERNAL', status_code: 'UNSET', status_message: null }) },
  { name: 'the last kind', span: { kind: 5 }, gives: stored({ kind: 'CONSUMER' }) },
  { name: 'an unknown kind', span: { kind: 6 }, gives: refused('its kind is not one of 0 to 5') },
  { name: 'a negative kind', span: { kind: -1 }, gives: refused('its kind is not one of 0 to 5') },
  { name: 'a negative status', span: { status: { code: -1 } }, gives: refused('its status code is not one of 0 to 2') },
  { name: 'a kind that is no integer', span: { kind: 1.5 }, onlyJson: true, gives: refused('kind') },
  {
    name: 'a kind by a name that does not exist',
    span: { kind: 'SPAN_KIND_ROBOT' as unknown as number },
    onlyJson: true,
    gives: refused('kind'),
  },
  {
    name: 'a status message that is too long',
    span: { status: { code: 2, message: 'm'.repeat(4097) } },
    gives: refused('its status message has more than 4096 characters'),
  },
  {
    name: 'a trace state that is too long',
    span: { traceState: `v=${'s'.repeat(4096)}` },
    gives: refused('its trace_state has more than 4096 characters'),
  },
  { name: 'an unknown status', span: { status: { code: 3 } }, gives: refused('its status code is not one of 0 to 2') },
  { name: 'a short trace id', span: { traceId: 'ab' }, gives: refused('its trace_id has 2 digits instead of 32') },
  { name: 'no trace id', span: { traceId: '' }, gives: refused('its trace_id has 0 digits instead of 32') },
  { name: 'a zero trace id', span: { traceId: '0'.repeat(32) }, gives: refused('its trace_id is zero') },
  { name: 'a long span id', span: { spanId: 'a'.repeat(18) }, gives: refused('its span_id has 18 digits') },
  { name: 'a zero span id', span: { spanId: '0'.repeat(16) }, gives: refused('its span_id is zero') },
  {
    name: 'an id that is not hexadecimal',
    span: { spanId: 'x'.repeat(16) },
    onlyJson: true,
    gives: refused('its span_id is not hexadecimal'),
  },
  { name: 'a short parent', span: { parentSpanId: 'ab' }, gives: refused('its parent_span_id has 2 digits') },
  { name: 'a zero parent', span: { parentSpanId: '0'.repeat(16) }, gives: stored({ parent_span_id: null }) },
  {
    name: 'a missing parent',
    span: { parentSpanId: 'c'.repeat(16) },
    gives: stored({ parent_span_id: 'c'.repeat(16) }),
  },
  { name: 'upper-case ids', span: { parentSpanId: 'C'.repeat(16) }, gives: stored({ parent_span_id: 'c'.repeat(16) }) },
  { name: 'no start', span: { startTimeUnixNano: '0' }, gives: refused('its start time is missing or before 1970') },
  { name: 'a start before 1970', span: { startTimeUnixNano: '-1' }, onlyJson: true, gives: refused('before 1970') },
  {
    name: 'an end after 2262',
    span: { endTimeUnixNano: '9223372036854775808' },
    gives: refused('after the year 2262'),
  },
  {
    name: 'a start after 2262',
    span: { startTimeUnixNano: '9223372036854775808', endTimeUnixNano: '9223372036854775809' },
    gives: refused('after the year 2262'),
  },
  { name: 'an end before 1970', span: { endTimeUnixNano: '-1' }, onlyJson: true, gives: refused('before 1970') },
  { name: 'an end before the start', span: { endTimeUnixNano: '1' }, gives: refused('it ends before it starts') },
  { name: 'an end at the start', span: { endTimeUnixNano: String(START) }, gives: stored({ duration_ns: 0 }) },
  { name: 'no end', span: { endTimeUnixNano: '0' }, gives: stored({ end_time_unix_nano: null, duration_ns: null }) },
  {
    name: 'a time that is no number',
    span: { endTimeUnixNano: 'now' },
    onlyJson: true,
    gives: refused('endTimeUnixNano is not an integer'),
  },
  {
    name: 'names of earlier conventions, which get the current ones too',
    span: {
      attributes: [
        { key: 'openinference.span.kind', value: text('LLM') },
        { key: 'llm.model_name', value: text('m') },
        { key: 'llm.token_count.prompt', value: { intValue: '9007199254740993' } },
      ],
    },
    gives: stored({
      category: 'model',
      attributes: { 'llm.model_name': 'm', 'gen_ai.request.model': 'm', 'gen_ai.operation.name': 'chat' },
    }),
  },
  {
    name: 'values of every kind',
    span: {
      attributes: [
        { key: 'text', value: text('ä\u0000😀') },
        { key: 'yes', value: { boolValue: true } },
        { key: 'integer', value: { intValue: '-7' } },
        { key: 'double', value: { doubleValue: 0.1 } },
        { key: 'bytes', value: { bytesValue: 'AP8=' } },
        { key: 'list', value: { arrayValue: { values: [text('x'), { intValue: '1' }, {}] } } },
        { key: 'map', value: { kvlistValue: { values: [{ key: '__proto__', value: text('y') }] } } },
        { key: 'nothing', value: {} },
        { key: 'absent' },
        { key: 'twice', value: text('first') },
        { key: 'twice', value: text('second') },
        { key: '', value: text('') },
      ],
    },
    gives: stored({
      attributes: {
        text: 'ä\u0000😀',
        yes: true,
        integer: -7,
        double: 0.1,
        bytes: 'AP8=',
        list: ['x', 1, null],
        map: JSON.parse('{"__proto__":"y"}') as unknown,
        nothing: null,
        absent: null,
        twice: 'second',
        '': '',
      },
    }),
  },
  { name: '32 levels of lists', span: attribute(nested(32)), gives: stored({ attributes: { a: nestedJson(32) } }) },
  { name: '40 levels of lists', span: attribute(nested(40)), gives: refused('an attribute has more than 32 levels') },
  { name: '1,000 attributes', span: many(1000), gives: stored({ dropped_attributes_count: 0 }) },
  { name: '10,000 attributes', span: many(10_000), gives: refused('has more than 1000 attributes') },
  {
    name: '10,000 attributes of an event',
    span: { events: [{ name: 'e', ...many(10_000) }] },
    gives: refused('one of its events or links, has more than 1000 attributes'),
  },
  {
    name: '10,000 attributes of a link',
    span: { links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), ...many(10_000) }] },
    gives: refused('one of its events or links, has more than 1000 attributes'),
  },
  {
    name: 'a value of 500,000 bytes',
    span: attribute(text('x'.repeat(500_000))),
    gives: stored({ attributes: { a: 'x'.repeat(500_000) } }),
  },
  {
    name: 'a value of a megabyte',
    span: attribute(text('x'.repeat(1_048_576))),
    gives: refused('bytes as JSON, more than 524288'),
  },
  {
    name: 'a list of 30,000 values',
    span: attribute({ arrayValue: { values: Array.from({ length: 30_000 }, () => ({})) } }),
    gives: refused('more than 20000 attributes, list items, events and links'),
  },
  {
    name: '30,000 events',
    span: { events: Array.from({ length: 30_000 }, () => ({})) },
    gives: refused('more than 20000 attributes, list items, events and links'),
  },
  {
    name: 'an execution that does not exist',
    span: { attributes: [{ key: 'execution.id', value: text('no/such\u0000') }] },
    gives: refused('there is no execution'),
  },
  {
    name: 'a kind by its name',
    span: { kind: 'SPAN_KIND_CLIENT' as unknown as number },
    onlyJson: true,
    gives: stored({ kind: 'CLIENT' }),
  },
  {
    name: 'attributes that are no list',
    span: { attributes: {} as unknown as [] },
    onlyJson: true,
    gives: refused('attributes is not a list'),
  },
  {
    name: 'a name that is no text',
    span: { name: 1 as unknown as string },
    onlyJson: true,
    gives: refused('name is not a string'),
  },
];
