import { isJsonObject, placeholdersIn, type JsonObject } from '@app/kernel';
import { RuntimeFailure } from './runtime.js';

/** The values that a template can use. */
export interface TemplateValues {
  /** By the first part of a name, for example `params`. */
  readonly roots: JsonObject;
  /** The output of a step of a workflow; null without one. */
  readonly outputOf: (step: string) => string | null;
}

/** UTF-16 code units. A short template can repeat a long output many times. */
const MAX_LENGTH = 1_048_576;

/**
 * Replaces `{{root.x}}` and `{{steps.x.output}}`, the latter also with a path into an output that is JSON. Texts are
 * inserted unchanged, other values as JSON, and the output of a step without one as an empty text; a name without a value
 * stays. Inserted values are not expanded again. Throws a RuntimeFailure if the result is too long.
 */
export function renderText(template: string, values: TemplateValues): string {
  const parts: string[] = [];
  let length = 0;
  let copied = 0;
  const append = (part: string): void => {
    parts.push(part);
    length += part.length;
    if (length > MAX_LENGTH) throw new RuntimeFailure(`The text would have more than ${MAX_LENGTH} characters`);
  };
  for (const { name, start, end } of placeholdersIn(template)) {
    append(template.slice(copied, start));
    append(textOf(lookUp(name, values)) ?? template.slice(start, end));
    copied = end;
  }
  append(template.slice(copied));
  return parts.join('');
}

/** Renders the texts in a value. A text that is one placeholder becomes the value itself, so that a number stays a number. */
function renderValue(value: unknown, values: TemplateValues): unknown {
  if (typeof value === 'string') return renderArgument(value, values);
  if (Array.isArray(value)) return value.map((item: unknown) => renderValue(item, values));
  return isJsonObject(value) ? renderObject(value, values) : value;
}

export function renderObject(object: JsonObject, values: TemplateValues): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, renderValue(value, values)]));
}

function renderArgument(template: string, values: TemplateValues): unknown {
  const [only, second] = placeholdersIn(template);
  const isWhole = only !== undefined && second === undefined && only.start === 0 && only.end === template.length;
  const value = isWhole ? lookUp(only.name, values) : undefined;
  return value === undefined || typeof value === 'string' ? renderText(template, values) : value;
}

function lookUp(name: string, { roots, outputOf }: TemplateValues): unknown {
  const [root, step = '', field, ...rest] = name.split('.');
  if (root !== 'steps') return valueAt(roots, name.split('.'));
  if (field !== 'output') return undefined;
  const output = outputOf(step) ?? '';
  return rest.length === 0 ? output : valueAt(parsed(output), rest);
}

/** Reads own properties only: a template cannot access prototypes. */
function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    if (!(isJsonObject(value) || Array.isArray(value)) || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
