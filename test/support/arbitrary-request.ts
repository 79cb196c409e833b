import fc from 'fast-check';
import type { Contract, Operation, Schema } from './contract.js';

/** A request for one operation, valid or not. */
export interface FuzzedRequest {
  /** Values of some path parameters; the others get ids of existing resources. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: [string, string][];
  /** Sent as JSON; no body if undefined. */
  readonly body: unknown;
  /** Sent unchanged instead of `body` if set. */
  readonly raw: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_DEPTH = 3;

const unusualText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\r\nid: 1',
    '%',
    '..',
    '{}',
    "'; --",
    'null',
    '0',
    '-1',
    '1e999',
    'é',
    '\ud800',
  ),
  fc.constantFrom('x'.repeat(300), 'x'.repeat(70_000), '😀'.repeat(200), '2026-02-30', '2026-01-01T00:00:00Z'),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

const unusualValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 53, 1e300, -0),
  unusualText,
  fc.constantFrom<unknown>([], {}, [[]], [null], [{}], { a: null }, nested(40), nested(200)),
  fc.constant(JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}') as unknown),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Generates valid and invalid requests for the operation. */
export function arbitraryRequest(contract: Contract, operation: Operation): fc.Arbitrary<FuzzedRequest> {
  const parameters = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const path = fc.dictionary(
    fc.constantFrom(...parameters, 'none'),
    unusualText.filter((text) => isSendableInUrl(text) && !['', '.', '..'].includes(text)),
    {
      maxKeys: parameters.length > 0 ? 1 : 0,
      noNullPrototype: true,
    },
  );
  const queries = operation.parameters.filter(({ in: where }) => where === 'query').map(({ name }) => name);
  const query = fc.array(fc.tuple(fc.constantFrom(...queries, 'unknown'), unusualText.filter(isSendableInUrl)), {
    maxLength: 3,
  });
  const { body: schema } = operation;
  const body = schema === undefined ? fc.constant(undefined) : arbitraryBody(contract, schema);
  const garbage = fc.constantFrom('', '{', '[1,]', '\ufeff{}', '{"a":1}{"b":2}', '"text"', 'NaN');
  const raw = schema === undefined ? fc.constant(undefined) : fc.option(garbage, { nil: undefined, freq: 12 });
  const headers = fc.constantFrom<Record<string, string>>(
    {},
    {},
    {},
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/json; charset=utf-16' },
    { 'X-Lease-Token': 'unknown' },
    { 'X-Lease-Token': '\u00ff' },
    { traceparent: 'nonsense' },
    { 'Last-Event-ID': '9_9' },
    { 'X-Request-Id': 'é'.repeat(300) },
  );
  return fc.record({ path, query, body, raw, headers });
}

function arbitraryBody(contract: Contract, schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: valueOf(contract, schema, 0) }, { weight: 1, arbitrary: unusualValue });
}

/** Mostly values that match the schema, sometimes others. */
function valueOf(contract: Contract, reference: Schema, depth: number): fc.Arbitrary<unknown> {
  const schema = contract.resolve(reference);
  const valid = validValue(contract, schema, depth);
  return depth === 0 ? valid : fc.oneof({ weight: 7, arbitrary: valid }, { weight: 1, arbitrary: unusualValue });
}

function validValue(contract: Contract, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueOf(contract, choice, depth + 1)));
  const values = schema['enum'] as unknown[] | undefined;
  if (values !== undefined) return fc.constantFrom(...values);
  const type = Array.isArray(schema['type']) ? (schema['type'] as string[])[0] : schema['type'];
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({ min: Number(schema['minimum'] ?? 0), max: Number(schema['maximum'] ?? 1000) });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueOf(contract, (schema['items'] ?? {}) as Schema, depth + 1), { maxLength: 3 });
    case 'object':
      return objectOf(contract, schema, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  if (schema['format'] === 'date-time') return fc.constantFrom('2026-03-01T12:00:00Z', '2026-03-01T12:00:00+05:00');
  const maxLength = Math.min(Number(schema['maxLength'] ?? 30), 30);
  return fc.oneof(
    fc.string({ maxLength }),
    fc.constantFrom('agent', 'team', 'manual', 'name', 'package p\n\nallow := true'),
  );
}

function objectOf(contract: Contract, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  if (depth >= MAX_DEPTH || Object.keys(properties).length === 0) {
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  }
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, valueOf(contract, property, depth + 1)]),
  );
  const required = (schema['required'] ?? []) as string[];
  const given = fc.record(fields, { requiredKeys: required });
  // Sometimes a required field is missing, or there is an unknown field.
  return fc.oneof(
    { weight: 6, arbitrary: given },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: given.map((object) => ({ ...object, unknown_field: [1, 'two'] })) },
  );
}

/** Excludes texts that cannot be part of a URL or exceed the limits of the HTTP server. */
function isSendableInUrl(text: string): boolean {
  return text.length < 1000 && !/[\ud800-\udfff]/.test(text.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, ''));
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let n = 0; n < depth; n += 1) value = n % 2 === 0 ? { inner: value } : [value];
  return value;
}
