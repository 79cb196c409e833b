import { isObject, type JsonObject } from './json.js';

/** Deeper levels stay empty, so that a recursive schema terminates. */
const MAX_DEPTH = 6;
const MAX_ARRAY_LENGTH = 100;

/**
 * Builds an object that conforms to a JSON schema from a text. Each property is the named value in the text
 * (`city=Berlin`, `"city": "Berlin"`), otherwise the default or an enum value of the schema, otherwise the next quoted
 * phrase or number. Optional properties are included only if named.
 */
export function valuesForSchema(schema: JsonObject, text: string): JsonObject {
  return objectFor(schema, new TextValues(text), 0);
}

function objectFor(schema: JsonObject, text: TextValues, depth: number): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const propertySchema = isObject(property) ? property : {};
    const named = text.named(name);
    if (named !== null) values[name] = coerce(named, propertySchema);
    else if (required.includes(name)) values[name] = valueFor(propertySchema, text, depth + 1);
  }
  return values;
}

function valueFor(schema: JsonObject, text: TextValues, depth: number): unknown {
  for (const key of ['const', 'default'] as const) if (schema[key] !== undefined) return schema[key];
  for (const key of ['enum', 'examples'] as const) {
    const options = schema[key];
    if (Array.isArray(options) && options.length > 0) return text.mentioned(options) ?? options[0];
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const options: unknown = schema[key];
    if (Array.isArray(options) && isObject(options[0])) return valueFor(options[0], text, depth);
  }
  return valueForType(typeOf(schema), schema, text, depth);
}

function valueForType(type: string, schema: JsonObject, text: TextValues, depth: number): unknown {
  switch (type) {
    case 'integer':
      return clamp(Math.trunc(text.nextNumber() ?? 1), schema);
    case 'number':
      return clamp(text.nextNumber() ?? 1, schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return depth >= MAX_DEPTH ? [] : arrayFor(schema, text, depth);
    case 'object':
      return depth >= MAX_DEPTH ? {} : objectFor(schema, text, depth);
    default:
      return text.nextPhrase();
  }
}

function arrayFor(schema: JsonObject, text: TextValues, depth: number): unknown[] {
  const items = isObject(schema['items']) ? schema['items'] : {};
  const length = typeof schema['minItems'] === 'number' ? Math.min(schema['minItems'], MAX_ARRAY_LENGTH) : 1;
  return Array.from({ length }, () => valueFor(items, text, depth + 1));
}

function typeOf(schema: JsonObject): string {
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (typeof type === 'string') return type;
  return isObject(schema['properties']) ? 'object' : 'string';
}

function clamp(value: number, schema: JsonObject): number {
  const minimum = typeof schema['minimum'] === 'number' ? schema['minimum'] : -Infinity;
  const maximum = typeof schema['maximum'] === 'number' ? schema['maximum'] : Infinity;
  return Math.min(maximum, Math.max(minimum, value));
}

function coerce(text: string, schema: JsonObject): unknown {
  const type = typeOf(schema);
  if (type === 'integer' || type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'boolean') return text.toLowerCase() === 'true';
  if (type === 'array') return text.split(',').map((part) => coerce(part.trim(), itemsOf(schema)));
  return text;
}

function itemsOf(schema: JsonObject): JsonObject {
  return isObject(schema['items']) ? schema['items'] : {};
}

/** The values in a text. Each quoted phrase and each number is used once, in order. */
class TextValues {
  private readonly phrases: string[];
  private readonly numbers: number[];

  constructor(private readonly text: string) {
    this.phrases = [...text.matchAll(/"([^"]+)"|'([^']+)'/g)].map((match) => match[1] ?? match[2] ?? '');
    this.numbers = [...text.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w])/g)].map((match) => Number(match[0]));
  }

  named(name: string): string | null {
    const escaped = name.replace(/[^\w]/g, '\\$&');
    const match = new RegExp(`(?<!\\w)["']?${escaped}["']?\\s*[=:]\\s*(?:"([^"]*)"|'([^']*)'|([^\\s;,)}]+))`, 'i').exec(
      this.text,
    );
    if (match === null) return null;
    return match[1] ?? match[2] ?? (match[3] ?? '').replace(/[.!?]+$/, '');
  }

  mentioned(options: readonly unknown[]): unknown {
    const lower = this.text.toLowerCase();
    return options.find((option) => typeof option === 'string' && lower.includes(option.toLowerCase()));
  }

  nextNumber(): number | null {
    return this.numbers.shift() ?? null;
  }

  nextPhrase(): string {
    return this.phrases.shift() ?? this.text;
  }
}
