import type { Run } from '../evaluate/run.js';
import { isArray, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';

/** Returns the schemas with an `$id` or `id`, by that id. */
export function namedSchemas(root: Value, run: Run): ReadonlyMap<string, Value> {
  const named = new Map<string, Value>();
  const pending: Value[] = [root];
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    run.meter.step();
    if (!(schema instanceof RegoObject)) continue;
    for (const key of ['$id', 'id']) {
      const name = schema.get(key);
      if (typeof name === 'string' && name !== '#') named.set(name, schema);
    }
    pending.push(...subschemas(schema));
  }
  return named;
}

/** Returns the direct subschemas of a schema. */
export function subschemas(schema: RegoObject): Value[] {
  const inner: Value[] = [];
  for (const name of [
    'not',
    'if',
    'then',
    'else',
    'contains',
    'propertyNames',
    'additionalProperties',
    'additionalItems',
  ]) {
    const value = schema.get(name);
    if (value instanceof RegoObject) inner.push(value);
  }
  for (const name of ['allOf', 'anyOf', 'oneOf', 'items']) {
    const value = schema.get(name);
    if (isArray(value)) inner.push(...value);
    else if (value instanceof RegoObject) inner.push(value);
  }
  for (const name of ['properties', 'patternProperties', 'definitions']) {
    const value = schema.get(name);
    if (value instanceof RegoObject) for (const [, member] of value.entries()) inner.push(member);
  }
  return inner;
}
