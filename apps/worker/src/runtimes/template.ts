import { isJsonObject, parseExactJson, placeholdersIn, type JsonObject } from '@app/kernel';
import { outputIn } from '@app/workflow-grammar';
import { RuntimeFailure } from './runtime.js';

/** The values that a template can use. */
export interface TemplateValues {
  /** Values by the first part of a placeholder, for example `params`. */
  readonly roots: JsonObject;
  /** The output of a step of a workflow; null without one. */
  readonly outputOf: (step: string) => string | null;
}

/** UTF-16 code units. A short template can repeat a long output many times. */
const MAX_LENGTH = 1_048_576;

/** Counts the rendered texts of one call. */
class LengthBudget {
  private left = MAX_LENGTH;

  /** Throws a RuntimeFailure if all parts together are too long. */
  take(part: string): void {
    this.left -= part.length;
    if (this.left < 0) throw new RuntimeFailure(`The text would have more than ${MAX_LENGTH} characters`);
  }
}

/**
 * Replaces `{{root.x}}` and `{{steps.x.output}}`, the latter also with a path into an output that is JSON. Strings are
 * inserted unchanged, other values as JSON, and a missing output of a step, or a part of it, as an empty text. Any other
 * placeholder without a value remains. Inserted values are not expanded again. Throws a RuntimeFailure if the result is too long.
 */
export function renderText(template: string, values: TemplateValues, budget = new LengthBudget()): string {
  const parts: string[] = [];
  let copied = 0;
  const append = (part: string): void => {
    budget.take(part);
    parts.push(part);
  };
  for (const { name, start, end } of placeholdersIn(template)) {
    append(template.slice(copied, start));
    append(textOf(lookUp(name, values)) ?? template.slice(start, end));
    copied = end;
  }
  append(template.slice(copied));
  return parts.join('');
}

/**
 * Renders the texts in an object. Throws a RuntimeFailure if all texts and other values, as JSON, are too long
 * together.
 */
export function renderObject(object: JsonObject, values: TemplateValues, budget = new LengthBudget()): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, renderValue(value, values, budget)]));
}

/**
 * Renders the texts in a value. A text that is one placeholder becomes the value itself, so that a number stays a
 * number.
 */
function renderValue(value: unknown, values: TemplateValues, budget: LengthBudget): unknown {
  if (typeof value === 'string') return renderArgument(value, values, budget);
  if (Array.isArray(value)) return value.map((item: unknown) => renderValue(item, values, budget));
  return isJsonObject(value) ? renderObject(value, values, budget) : value;
}

function renderArgument(template: string, values: TemplateValues, budget: LengthBudget): unknown {
  const [only, second] = placeholdersIn(template);
  const isWhole = only !== undefined && second === undefined && only.start === 0 && only.end === template.length;
  const value = isWhole ? lookUp(only.name, values) : undefined;
  if (value === undefined || typeof value === 'string') return renderText(template, values, budget);
  budget.take(textOf(value) ?? '');
  return value;
}

function lookUp(name: string, { roots, outputOf }: TemplateValues): unknown {
  const used = outputIn(name);
  if (used === undefined) return valueAt(roots, name.split('.'));
  const output = outputOf(used.step);
  if (output === null) return '';
  return used.path.length === 0 ? output : valueAt(parsed(output), used.path);
}

/** Reads only own properties, so that a template cannot access prototypes. */
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
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
