import type { Run } from '../evaluate/run.js';
import { compare, equal } from '../values/compare.js';
import { divide } from '../values/arithmetic.js';
import { isInteger, toDouble } from '../values/decimal.js';
import type { Numeric } from '../values/decimal.js';
import { jsonText } from '../values/text.js';
import { isArray, isNumeric, keyOf, RegoObject, typeName } from '../values/value.js';
import type { Value } from '../values/value.js';
import { codePoints } from './aggregates.js';
import { formatFloat } from './floats.js';
import { checkSchema, MOST_NESTING, SchemaProblem } from './json-schema-faults.js';
import { fitsFormat } from './json-schema-formats.js';
import { namedSchemas } from './json-schema-tree.js';
import { compilePattern, matches } from './regex.js';

export interface SchemaError {
  readonly desc: string;
  readonly error: string;
  readonly field: string;
  readonly type: string;
}

/** Validates with the keywords of drafts 4, 6 and 7. References must be within the schema. */
export class SchemaValidator {
  private result = new Result();
  private depth = 0;
  private named: ReadonlyMap<string, Value> | undefined;

  constructor(
    private readonly root: Value,
    private readonly run: Run,
  ) {}

  validate(document: Value): readonly SchemaError[] {
    return this.sub(this.root, document, []).errors;
  }

  /** Throws `SchemaProblem` if the schema itself has a fault. */
  checkSchema(): void {
    checkSchema(this.root, this.run, (ref) => this.resolve(ref));
  }

  private fail(path: readonly Value[], type: string, desc: string): void {
    const field = fieldOf(path);
    this.result.add({ desc, error: `${field}: ${desc}`, field, type });
  }

  /** Validates a value against a subschema, and returns its faults separately from those found so far. */
  private sub(schema: Value, value: Value, path: readonly Value[]): Result {
    const saved = this.result;
    this.result = new Result();
    this.check(schema, value, path);
    const result = this.result;
    this.result = saved;
    return result;
  }

  private check(schema: Value, value: Value, path: readonly Value[]): void {
    this.run.meter.step();
    if (schema === false) this.fail(path, 'false', 'False always fails validation');
    if (!(schema instanceof RegoObject)) return;
    if (++this.depth > MOST_NESTING) throw new SchemaProblem('schema is nested too deeply');
    const ref = schema.get('$ref');
    if (typeof ref === 'string') this.check(this.resolve(ref), value, path);
    else if (this.hasType(schema, value, path)) this.checkKeywords(schema, value, path);
    this.depth--;
  }

  private checkKeywords(schema: RegoObject, value: Value, path: readonly Value[]): void {
    this.combine(schema, value, path);
    if (isArray(value)) this.checkArray(schema, value, path);
    else if (value instanceof RegoObject) this.checkObject(schema, value, path);
    else if (isNumeric(value)) this.checkNumber(schema, value, path);
    this.checkCommon(schema, value, path);
    if (typeof value === 'string') this.checkString(schema, value, path);
    const properties = schema.get('properties');
    if (value instanceof RegoObject && properties instanceof RegoObject) {
      for (const [key, inner] of properties.entries()) {
        const member = value.get(key);
        if (member !== undefined) this.check(inner, member, [...path, key]);
      }
    }
    // Scores like the reference implementation: one point for each group of keywords that was checked.
    const groups = typeof value === 'boolean' || value === null ? 2 : 3;
    this.result.score += groups + 1;
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

  private hasType(schema: RegoObject, value: Value, path: readonly Value[]): boolean {
    const type = schema.get('type');
    const names = isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)];
    if (names.length === 0) return true;
    const given = isNumeric(value) && isInteger(value) ? 'integer' : typeName(value);
    if (names.includes(given) || (given === 'integer' && names.includes('number'))) return true;
    const expected = names.length > 1 ? `[${names.join(',')}]` : names.join('');
    this.fail(path, 'invalid_type', `Invalid type. Expected: ${expected}, given: ${given}`);
    return false;
  }

  private checkCommon(schema: RegoObject, value: Value, path: readonly Value[]): void {
    const field = fieldOf(path);
    const constant = schema.get('const');
    if (constant !== undefined && !equal(constant, value))
      this.fail(path, 'const', `${field} does not match: ${jsonText(constant, true)}`);
    const options = schema.get('enum');
    if (isArray(options) && options.length > 0 && !options.some((option) => equal(option, value))) {
      const allowed = options.map((option) => jsonText(option, true)).join(', ');
      this.fail(path, 'enum', `${field} must be one of the following: ${allowed}`);
    }
    const format = schema.get('format');
    if (typeof format === 'string' && typeof value === 'string' && !fitsFormat(format, value, this.run))
      this.fail(path, 'format', `Does not match format '${format}'`);
  }

  private combine(schema: RegoObject, value: Value, path: readonly Value[]): void {
    const results = (name: string): readonly Result[] | undefined => {
      const inner = schema.get(name);
      return isArray(inner) && inner.length > 0 ? inner.map((option) => this.sub(option, value, path)) : undefined;
    };
    this.checkAny(schema.get('anyOf'), value, path);
    const one = results('oneOf');
    const fitting = one?.filter(({ isValid }) => isValid).length ?? 1;
    if (one !== undefined && fitting !== 1) {
      this.fail(path, 'number_one_of', 'Must validate one and only one schema (oneOf)');
      if (fitting === 0) this.result.merge(best(one));
    }
    const all = results('allOf') ?? [];
    for (const result of all) this.result.merge(result);
    if (!all.every(({ isValid }) => isValid)) this.fail(path, 'number_all_of', 'Must validate all the schemas (allOf)');
    const not = schema.get('not');
    if (not !== undefined && this.sub(not, value, path).isValid)
      this.fail(path, 'number_not', 'Must not validate the schema (not)');
    if (value instanceof RegoObject) this.checkDependencies(schema, value, path);
    this.checkCondition(schema, value, path);
  }

  /** Options after the first matching one are not checked. */
  private checkAny(options: Value | undefined, value: Value, path: readonly Value[]): void {
    if (!isArray(options) || options.length === 0) return;
    const results: Result[] = [];
    for (const option of options) {
      const result = this.sub(option, value, path);
      if (result.isValid) return;
      results.push(result);
    }
    this.fail(path, 'number_any_of', 'Must validate at least one schema (anyOf)');
    this.result.merge(best(results));
  }

  private checkCondition(schema: RegoObject, value: Value, path: readonly Value[]): void {
    const condition = schema.get('if');
    if (condition === undefined) return;
    const branch = this.sub(condition, value, path).isValid ? 'then' : 'else';
    const consequence = schema.get(branch);
    const result = consequence === undefined ? undefined : this.sub(consequence, value, path);
    if (result === undefined || result.isValid) return;
    const reason = branch === 'then' ? 'as "if" was valid' : 'as "if" was not valid';
    this.fail(path, `condition_${branch}`, `Must validate "${branch}" ${reason}`);
    this.result.merge(result);
  }

  private checkDependencies(schema: RegoObject, value: RegoObject, path: readonly Value[]): void {
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
    const found = contained === undefined ? [] : value.map((item, at) => this.sub(contained, item, [...path, at]));
    if (contained !== undefined && !found.some(({ isValid }) => isValid)) {
      this.fail(path, 'contains', 'At least one of the items must match');
      this.result.merge(best(found));
    }
  }

  private checkUnique(value: readonly Value[], path: readonly Value[]): void {
    const seen = new Map<unknown, number>();
    value.forEach((item, at) => {
      const first = seen.get(keyOf(item));
      if (first !== undefined) this.fail(path, 'unique', `array items[${first},${at}] must be unique`);
      seen.set(keyOf(item), at);
    });
  }

  /** Checks the `min…` and `max…` keywords. */
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
    const size = (name: string, type: string, text: string): void =>
      this.limit(schema, name, value.size, path, type, (limit) => `Must have at ${text} ${limit} properties`);
    size('minProperties', 'array_min_properties', 'least');
    size('maxProperties', 'array_max_properties', 'most');
    const required = schema.get('required');
    for (const name of isArray(required) ? required : []) {
      if (value.has(name)) this.result.score++;
      else this.fail(path, 'required', `${String(name)} is required`);
    }
    const properties = schema.get('properties');
    const additional = schema.get('additionalProperties');
    for (const [key, member] of value.entries()) {
      const isKnown = properties instanceof RegoObject && properties.has(key);
      if (this.fitsPattern(schema, key, member, path) || isKnown || additional === undefined) continue;
      if (additional === false)
        this.fail(path, 'additional_property_not_allowed', `Additional property ${String(key)} is not allowed`);
      else this.check(additional, member, [...path, key]);
    }
    const names = schema.get('propertyNames');
    for (const key of names === undefined ? [] : value.keys()) {
      const result = this.sub(names as Value, key, path);
      if (result.isValid) continue;
      this.fail(path, 'invalid_property_name', `Property name of "${String(key)}" does not match`);
      this.result.merge(result);
    }
  }

  /** Checks a member against the patterns that match its name. Returns whether there is one. */
  private fitsPattern(schema: RegoObject, key: Value, member: Value, path: readonly Value[]): boolean {
    const patterns = schema.get('patternProperties');
    let fits = false;
    for (const [pattern, inner] of patterns instanceof RegoObject ? patterns.entries() : []) {
      if (!matches(compilePattern(String(pattern), this.run), String(key), this.run)) continue;
      fits = true;
      this.check(inner, member, [...path, key]);
    }
    if (fits) this.result.score++;
    return fits;
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
    const pattern = schema.get('pattern');
    if (typeof pattern === 'string' && !matches(compilePattern(pattern, this.run), value, this.run)) {
      this.fail(path, 'pattern', `Does not match pattern '${pattern}'`);
    }
  }

  private checkNumber(schema: RegoObject, value: Numeric, path: readonly Value[]): void {
    const multiple = schema.get('multipleOf');
    if (isNumeric(multiple) && !isInteger(divide(value, multiple)))
      this.fail(path, 'multiple_of', `Must be a multiple of ${floatText(multiple)}`);
    const bound = (name: string, strict: string, fits: (order: number) => boolean): void => {
      const limit = schema.get(name);
      if (!isNumeric(limit) || fits(compare(value, limit))) return;
      const [type, words] = BOUNDS[strict] ?? ['', ''];
      this.fail(path, type, `Must be ${words} ${floatText(limit)}`);
    };
    if (schema.get('exclusiveMaximum') === true) bound('maximum', '<', (order) => order < 0);
    else bound('maximum', '<=', (order) => order <= 0);
    bound('exclusiveMaximum', '<', (order) => order < 0);
    if (schema.get('exclusiveMinimum') === true) bound('minimum', '>', (order) => order > 0);
    else bound('minimum', '>=', (order) => order >= 0);
    bound('exclusiveMinimum', '>', (order) => order > 0);
  }
}

const BOUNDS: Readonly<Record<string, readonly [type: string, words: string]>> = {
  '<': ['number_lt', 'less than'],
  '<=': ['number_lte', 'less than or equal to'],
  '>': ['number_gt', 'greater than'],
  '>=': ['number_gte', 'greater than or equal to'],
};

/** Formats a number for a message, from a million on with an exponent. */
function floatText(value: Numeric): string {
  return formatFloat(toDouble(value), 'g', undefined);
}

function fieldOf(path: readonly Value[]): string {
  return path.length === 0 ? '(root)' : path.map(String).join('.');
}

/** Errors and a score; a higher score means that the value is closer to being valid. */
class Result {
  readonly errors: SchemaError[] = [];
  score = 0;

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  add(error: SchemaError): void {
    this.errors.push(error);
    this.score -= 2;
  }

  merge(other: Result | undefined): void {
    if (other === undefined) return;
    for (const error of other.errors) this.errors.push(error);
    this.score += other.score;
  }
}

/** Returns the first of the results with the highest score. */
function best(results: readonly Result[]): Result | undefined {
  return results.reduce<Result | undefined>(
    (found, result) => (found === undefined || result.score > found.score ? result : found),
    undefined,
  );
}
