import type { Run } from '../evaluate/run.js';
import { compare, equal } from '../values/compare.js';
import { divide } from '../values/arithmetic.js';
import { isInteger } from '../values/decimal.js';
import type { Numeric } from '../values/decimal.js';
import { jsonText } from '../values/text.js';
import { isArray, isNumeric, keyOf, RegoObject, typeName } from '../values/value.js';
import type { Value } from '../values/value.js';
import { codePoints } from './aggregates.js';
import { fitsFormat } from './json-schema-formats.js';
import { namedSchemas, subschemas } from './json-schema-tree.js';
import { compilePattern, matches } from './regex.js';

/** A schema that cannot be used. */
export class SchemaProblem extends Error {}

export interface SchemaError {
  readonly desc: string;
  readonly error: string;
  readonly field: string;
  readonly type: string;
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string'];
const MAX_DEPTH = 128;

/** Keywords of drafts 4, 6 and 7; references stay inside the schema. */
export class SchemaValidator {
  private errors: SchemaError[] = [];
  private depth = 0;
  private named: ReadonlyMap<string, Value> | undefined;

  constructor(
    private readonly root: Value,
    private readonly run: Run,
  ) {}

  validate(document: Value): readonly SchemaError[] {
    this.errors = [];
    this.check(this.root, document, []);
    return this.errors;
  }

  /** Faults of the schema itself. */
  checkSchema(schema: Value = this.root, depth = 0): void {
    this.run.meter.step();
    if (depth > MAX_DEPTH) throw new SchemaProblem('schema is nested too deeply');
    if (typeof schema === 'boolean') return;
    if (!(schema instanceof RegoObject)) throw new SchemaProblem('schema is invalid');
    const type = schema.get('type');
    for (const name of isArray(type) ? type : type === undefined ? [] : [type]) {
      if (typeof name !== 'string' || !TYPES.includes(name)) {
        throw new SchemaProblem(
          `has a primitive type that is NOT VALID -- given: /${String(name)}/ Expected valid values are:[${TYPES.join(' ')}]`,
        );
      }
    }
    this.checkShapes(schema);
    const ref = schema.get('$ref');
    if (typeof ref === 'string') this.resolve(ref);
    for (const inner of subschemas(schema)) this.checkSchema(inner, depth + 1);
  }

  private checkShapes(schema: RegoObject): void {
    const demand = (name: string, kind: string): void => {
      const value = schema.get(name);
      if (value !== undefined && typeName(value) !== kind) throw new SchemaProblem(`${name} must be of type ${kind}`);
    };
    for (const name of ['properties', 'patternProperties', 'definitions', 'dependencies']) demand(name, 'object');
    for (const name of ['required', 'enum', 'allOf', 'anyOf', 'oneOf']) demand(name, 'array');
    for (const name of ['pattern', '$ref', 'format']) demand(name, 'string');
    for (const name of ['minLength', 'maxLength', 'minItems', 'maxItems', 'multipleOf']) demand(name, 'number');
    for (const name of ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']) {
      const bound = schema.get(name);
      if (isNumeric(bound) && (!isInteger(bound) || compare(bound, 0) < 0))
        throw new SchemaProblem(`${name} must be an integer greater than or equal to 0`);
    }
    const required = schema.get('required');
    if (isArray(required) && required.some((name) => typeof name !== 'string'))
      throw new SchemaProblem('required items must be of type string');
    const pattern = schema.get('pattern');
    if (typeof pattern === 'string') compilePattern(pattern, this.run);
  }

  private fail(path: readonly Value[], type: string, desc: string): void {
    const field = path.length === 0 ? '(root)' : path.map(String).join('.');
    this.errors.push({ desc, error: `${field}: ${desc}`, field, type });
  }

  private passes(schema: Value, value: Value, path: readonly Value[]): boolean {
    const saved = this.errors;
    this.errors = [];
    this.check(schema, value, path);
    const ok = this.errors.length === 0;
    this.errors = saved;
    return ok;
  }

  private check(schema: Value, value: Value, path: readonly Value[]): void {
    this.run.meter.step();
    if (schema === false) this.fail(path, 'false', 'False always fails validation');
    if (!(schema instanceof RegoObject)) return;
    if (++this.depth > MAX_DEPTH) throw new SchemaProblem('schema is nested too deeply');
    const ref = schema.get('$ref');
    if (typeof ref === 'string') this.check(this.resolve(ref), value, path);
    else {
      this.checkType(schema, value, path);
      this.combine(schema, value, path);
      if (isArray(value)) this.checkArray(schema, value, path);
      else if (value instanceof RegoObject) this.checkObject(schema, value, path);
      else if (typeof value === 'string') this.checkString(schema, value, path);
      else if (isNumeric(value)) this.checkNumber(schema, value, path);
    }
    this.depth--;
  }

  private resolve(ref: string): Value {
    this.named ??= namedSchemas(this.root, this.run);
    const named = this.named.get(ref);
    if (named !== undefined) return named;
    if (ref !== '#' && !ref.startsWith('#/')) throw new SchemaProblem(`remote reference loading disabled: ${ref}`);
    let value: Value | undefined = this.root;
    for (const part of ref.slice(1).split('/').slice(1)) {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      value = value instanceof RegoObject ? value.get(name) : isArray(value) ? value[Number(name)] : undefined;
    }
    if (value === undefined) throw new SchemaProblem(`Object has no key '${ref.split('/').pop() ?? ''}'`);
    return value;
  }

  private checkType(schema: RegoObject, value: Value, path: readonly Value[]): void {
    const type = schema.get('type');
    if (type !== undefined) {
      const names = (isArray(type) ? type : [type]).map(String);
      const given = isNumeric(value) && isInteger(value) ? 'integer' : typeName(value);
      const fits = names.includes(given) || (given === 'integer' && names.includes('number'));
      if (!fits) this.fail(path, 'invalid_type', `Invalid type. Expected: ${names.join('/')}, given: ${given}`);
    }
    const field = path.length === 0 ? '(root)' : path.map(String).join('.');
    const constant = schema.get('const');
    if (constant !== undefined && !equal(constant, value))
      this.fail(path, 'const', `${field} does not match: ${jsonText(constant)}`);
    const options = schema.get('enum');
    if (isArray(options) && !options.some((option) => equal(option, value))) {
      this.fail(
        path,
        'enum',
        `${field} must be one of the following: ${options.map((option) => jsonText(option)).join(', ')}`,
      );
    }
  }

  private combine(schema: RegoObject, value: Value, path: readonly Value[]): void {
    const list = (name: string): readonly Value[] | undefined => {
      const inner = schema.get(name);
      return isArray(inner) ? inner : undefined;
    };
    const all = list('allOf');
    if (all !== undefined) {
      const before = this.errors.length;
      for (const inner of all) this.check(inner, value, path);
      if (this.errors.length > before) this.fail(path, 'number_all_of', 'Must validate all the schemas (allOf)');
    }
    const any = list('anyOf');
    if (any !== undefined && !any.some((inner) => this.passes(inner, value, path))) {
      this.fail(path, 'number_any_of', 'Must validate at least one schema (anyOf)');
    }
    const one = list('oneOf');
    if (one !== undefined && one.filter((inner) => this.passes(inner, value, path)).length !== 1) {
      this.fail(path, 'number_one_of', 'Must validate one and only one schema (oneOf)');
    }
    const not = schema.get('not');
    if (not !== undefined && this.passes(not, value, path))
      this.fail(path, 'number_not', 'Must not validate the schema (not)');
    const condition = schema.get('if');
    if (condition === undefined) return;
    const branch = this.passes(condition, value, path) ? 'then' : 'else';
    const consequence = schema.get(branch);
    if (consequence !== undefined && !this.passes(consequence, value, path)) {
      const reason = branch === 'then' ? 'as "if" was valid' : 'as "if" was not valid';
      this.fail(path, `condition_${branch}`, `Must validate "${branch}" ${reason}`);
    }
  }

  private checkArray(schema: RegoObject, value: readonly Value[], path: readonly Value[]): void {
    const items = schema.get('items');
    const extra = schema.get('additionalItems');
    value.forEach((item, at) => {
      const inner = isArray(items) ? (items[at] ?? extra) : items;
      if (inner === undefined) return;
      if (isArray(items) && at >= items.length && inner === false) {
        if (at === items.length) this.fail(path, 'array_no_additional_items', 'No additional items allowed on array');
      } else this.check(inner, item, [...path, at]);
    });
    this.limit(
      schema,
      'minItems',
      value.length,
      path,
      'array_min_items',
      (limit) => `Array must have at least ${limit} items`,
    );
    this.limit(
      schema,
      'maxItems',
      value.length,
      path,
      'array_max_items',
      (limit) => `Array must have at most ${limit} items`,
    );
    if (schema.get('uniqueItems') === true) this.checkUnique(value, path);
    const contained = schema.get('contains');
    if (contained !== undefined && !value.some((item, at) => this.passes(contained, item, [...path, at]))) {
      this.fail(path, 'contains', 'At least one of the items must match');
    }
  }

  private checkUnique(value: readonly Value[], path: readonly Value[]): void {
    const seen = new Map<unknown, number>();
    value.forEach((item, at) => {
      const first = seen.get(keyOf(item));
      if (first !== undefined) this.fail(path, 'unique', `array items[${first},${at}] must be unique`);
      else seen.set(keyOf(item), at);
    });
  }

  /** `min…` and `max…` keywords. */
  private limit(
    schema: RegoObject,
    name: string,
    size: number,
    path: readonly Value[],
    type: string,
    text: (limit: string) => string,
  ): void {
    const limit = schema.get(name);
    if (!isNumeric(limit)) return;
    const order = compare(size, limit);
    if (name.startsWith('min') ? order < 0 : order > 0) this.fail(path, type, text(jsonText(limit)));
  }

  private checkObject(schema: RegoObject, value: RegoObject, path: readonly Value[]): void {
    const required = schema.get('required');
    for (const name of isArray(required) ? required : []) {
      if (!value.has(name)) this.fail(path, 'required', `${String(name)} is required`);
    }
    const properties = schema.get('properties');
    const patterns = schema.get('patternProperties');
    const additional = schema.get('additionalProperties');
    for (const [key, member] of value.entries()) {
      let known = false;
      const own = properties instanceof RegoObject ? properties.get(key) : undefined;
      if (own !== undefined) {
        known = true;
        this.check(own, member, [...path, key]);
      }
      for (const [pattern, inner] of patterns instanceof RegoObject ? patterns.entries() : []) {
        if (!matches(compilePattern(String(pattern), this.run), String(key), this.run)) continue;
        known = true;
        this.check(inner, member, [...path, key]);
      }
      if (known || additional === undefined || additional === true) continue;
      if (additional === false)
        this.fail(path, 'additional_property_not_allowed', `Additional property ${String(key)} is not allowed`);
      else this.check(additional, member, [...path, key]);
    }
    this.checkObjectRest(schema, value, path);
  }

  private checkObjectRest(schema: RegoObject, value: RegoObject, path: readonly Value[]): void {
    this.limit(
      schema,
      'minProperties',
      value.size,
      path,
      'array_min_properties',
      (limit) => `Must have at least ${limit} properties`,
    );
    this.limit(
      schema,
      'maxProperties',
      value.size,
      path,
      'array_max_properties',
      (limit) => `Must have at most ${limit} properties`,
    );
    const names = schema.get('propertyNames');
    if (names !== undefined) {
      for (const key of value.keys()) {
        if (!this.passes(names, key, path))
          this.fail(path, 'invalid_property_name', `Property name of "${String(key)}" does not match`);
      }
    }
    const dependencies = schema.get('dependencies');
    if (!(dependencies instanceof RegoObject)) return;
    for (const [key, dependency] of dependencies.entries()) {
      if (!value.has(key)) continue;
      if (!isArray(dependency)) this.check(dependency, value, path);
      else
        for (const name of dependency)
          if (!value.has(name)) this.fail(path, 'missing_dependency', `Has a dependency on ${String(name)}`);
    }
  }

  private checkString(schema: RegoObject, value: string, path: readonly Value[]): void {
    const length = codePoints(value);
    this.limit(
      schema,
      'minLength',
      length,
      path,
      'string_gte',
      (limit) => `String length must be greater than or equal to ${limit}`,
    );
    this.limit(
      schema,
      'maxLength',
      length,
      path,
      'string_lte',
      (limit) => `String length must be less than or equal to ${limit}`,
    );
    for (const name of ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']) {
      const bound = schema.get(name);
      if (isNumeric(bound) && (!isInteger(bound) || compare(bound, 0) < 0))
        throw new SchemaProblem(`${name} must be an integer greater than or equal to 0`);
    }
    const required = schema.get('required');
    if (isArray(required) && required.some((name) => typeof name !== 'string'))
      throw new SchemaProblem('required items must be of type string');
    const pattern = schema.get('pattern');
    if (typeof pattern === 'string' && !matches(compilePattern(pattern, this.run), value, this.run)) {
      this.fail(path, 'pattern', `Does not match pattern '${pattern}'`);
    }
    const format = schema.get('format');
    if (typeof format === 'string' && !fitsFormat(format, value))
      this.fail(path, 'format', `Does not match format '${format}'`);
  }

  private checkNumber(schema: RegoObject, value: Numeric, path: readonly Value[]): void {
    const bound = (name: string): Value | undefined => schema.get(name);
    const multiple = bound('multipleOf');
    if (isNumeric(multiple) && compare(multiple, 0) > 0 && !isInteger(divide(value, multiple))) {
      this.fail(path, 'multiple_of', `Must be a multiple of ${jsonText(multiple)}`);
    }
    const strictMin = bound('exclusiveMinimum');
    const strictMax = bound('exclusiveMaximum');
    const min = isNumeric(strictMin) ? strictMin : bound('minimum');
    const max = isNumeric(strictMax) ? strictMax : bound('maximum');
    if (isNumeric(min)) {
      const order = compare(value, min);
      if (strictMin !== undefined && strictMin !== false) {
        if (order <= 0) this.fail(path, 'number_gt', `Must be greater than ${jsonText(min)}`);
      } else if (order < 0) this.fail(path, 'number_gte', `Must be greater than or equal to ${jsonText(min)}`);
    }
    if (!isNumeric(max)) return;
    const order = compare(value, max);
    if (strictMax !== undefined && strictMax !== false) {
      if (order >= 0) this.fail(path, 'number_lt', `Must be less than ${jsonText(max)}`);
    } else if (order > 0) this.fail(path, 'number_lte', `Must be less than or equal to ${jsonText(max)}`);
  }
}
