import type { Run } from '../evaluate/run.js';
import { compare } from '../values/compare.js';
import { isInteger } from '../values/decimal.js';
import { isArray, isNumeric, keyOf, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { subschemas } from './json-schema-tree.js';
import { compilePattern } from './regex.js';
import { BuiltinError } from './types.js';

/** A schema that cannot be used. */
export class SchemaProblem extends Error {}

const TYPES = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string'];
/** Maximum nesting depth of schemas. */
export const MOST_NESTING = 128;

/** Throws `SchemaProblem` for the first fault of a schema. Calls `onReference` for each of its references. */
export function checkSchema(schema: Value, run: Run, onReference: (ref: string) => void, depth = 0): void {
  run.meter.step();
  if (depth > MOST_NESTING) throw new SchemaProblem('schema is nested too deeply');
  if (typeof schema === 'boolean') return;
  if (!(schema instanceof RegoObject))
    throw new SchemaProblem(depth === 0 ? 'schema is invalid' : 'Expected: schema, given: Invalid JSON');
  for (const name of ['$id', 'title', 'description', '$ref'])
    if (schema.has(name) && typeof schema.get(name) !== 'string') throw wrongType('string', name);
  const ref = schema.get('$ref');
  if (typeof ref === 'string') {
    onReference(ref);
    return;
  }
  checkTypes(schema.get('type'));
  checkShapes(schema);
  checkBounds(schema);
  checkTexts(schema, run);
  for (const inner of subschemas(schema)) checkSchema(inner, run, onReference, depth + 1);
}

function wrongType(expected: string, given: string): SchemaProblem {
  return new SchemaProblem(`Invalid type. Expected: ${expected}, given: ${given}`);
}

function checkTypes(type: Value | undefined): void {
  if (type === undefined) return;
  const names = isArray(type) ? type : [type];
  const seen = new Set<string>();
  for (const name of names) {
    if (typeof name !== 'string') throw wrongType('type', 'string/array of strings');
    if (!TYPES.includes(name))
      throw new SchemaProblem(
        `has a primitive type that is NOT VALID -- given: /${name}/ Expected valid values are:[${TYPES.join(' ')}]`,
      );
    if (seen.has(name)) throw new SchemaProblem(`${name} type is duplicated`);
    seen.add(name);
  }
}

function isSchema(value: Value): boolean {
  return typeof value === 'boolean' || value instanceof RegoObject;
}

function checkShapes(schema: RegoObject): void {
  const demand = (name: string, fits: (value: Value) => boolean, fault: () => SchemaProblem): void => {
    const value = schema.get(name);
    if (value !== undefined && !fits(value)) throw fault();
  };
  const isObject = (value: Value): boolean => value instanceof RegoObject;
  for (const name of ['properties', 'dependencies'])
    demand(name, isObject, () => new SchemaProblem(`${name} must be of type object`));
  demand('definitions', isObject, () => wrongType('array of schemas', 'definitions'));
  demand('patternProperties', isObject, () => wrongType('schema', 'patternProperties'));
  for (const name of ['additionalProperties', 'additionalItems'])
    demand(name, isSchema, () => wrongType('boolean/schema', name));
  demand(
    'items',
    (value) => (isArray(value) ? value.every(isSchema) : isSchema(value)),
    () => wrongType('schema/array of schemas', 'items'),
  );
  for (const name of ['required', 'enum', 'oneOf', 'anyOf', 'allOf'])
    demand(name, isArray, () => new SchemaProblem(`${name} must be of an array`));
  for (const name of ['not', 'if', 'then', 'else'])
    demand(name, isSchema, () => new SchemaProblem(`${name} must be of an object`));
  for (const name of ['required', 'enum']) checkUnique(schema.get(name), name);
}

function checkUnique(list: Value | undefined, name: string): void {
  if (!isArray(list)) return;
  if (name === 'required' && list.some((item) => typeof item !== 'string')) throw wrongType('string', name);
  if (new Set(list.map(keyOf)).size < list.length) throw new SchemaProblem(`${name} items must be unique`);
}

const SIZES = ['minLength', 'maxLength', 'minProperties', 'maxProperties', 'minItems', 'maxItems'];

function checkBounds(schema: RegoObject): void {
  const multiple = schema.get('multipleOf');
  if (multiple !== undefined && !isNumeric(multiple)) throw wrongType('number', 'multipleOf');
  if (multiple !== undefined && compare(multiple, 0) <= 0)
    throw new SchemaProblem('multipleOf must be strictly greater than 0');
  for (const [name, strict] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const [bound, exclusive] = [schema.get(name), schema.get(strict)];
    if (bound !== undefined && !isNumeric(bound)) throw new SchemaProblem(`${name} must be of a number`);
    if (typeof exclusive === 'boolean' && bound === undefined)
      throw new SchemaProblem(`${strict} cannot be used without ${name}`);
    if (exclusive !== undefined && typeof exclusive !== 'boolean' && !isNumeric(exclusive))
      throw wrongType('boolean/number', strict);
  }
  for (const name of SIZES) {
    const size = schema.get(name);
    if (size === undefined) continue;
    if (!isNumeric(size) || !isInteger(size)) throw new SchemaProblem(`${name} must be of an integer`);
    if (compare(size, 0) < 0) throw new SchemaProblem(`${name} must be greater than or equal to 0`);
  }
  for (const [low, high] of [
    ['minLength', 'maxLength'],
    ['minProperties', 'maxProperties'],
  ] as const) {
    const [least, most] = [schema.get(low), schema.get(high)];
    if (least !== undefined && most !== undefined && compare(least, most) > 0)
      throw new SchemaProblem(`${low} cannot be greater than ${high}`);
  }
  const unique = schema.get('uniqueItems');
  if (unique !== undefined && typeof unique !== 'boolean') throw new SchemaProblem('uniqueItems must be of a boolean');
}

function checkTexts(schema: RegoObject, run: Run): void {
  for (const name of ['pattern', 'format'])
    if (schema.has(name) && typeof schema.get(name) !== 'string') throw wrongType('string', name);
  const pattern = schema.get('pattern');
  if (typeof pattern === 'string') compile(pattern, 'pattern must be a valid regex', run);
  const patterns = schema.get('patternProperties');
  for (const key of patterns instanceof RegoObject ? patterns.keys() : [])
    compile(String(key), `Invalid regex pattern '${String(key)}'`, run);
}

function compile(pattern: string, fault: string, run: Run): void {
  try {
    compilePattern(pattern, run);
  } catch (error) {
    throw error instanceof BuiltinError ? new SchemaProblem(fault) : error;
  }
}
