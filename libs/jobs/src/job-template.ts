import { isJsonObject, type JsonObject } from '@app/kernel';

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g;

/**
 * The longest prompt a template may render to, in UTF-16 units: a short template can repeat a long value very often. It
 * is as much as a request's body may have.
 */
export const MAX_PROMPT_LENGTH = 1_048_576;

/**
 * Puts values into the placeholders of a template: `{{ name }}`, where dots in the name walk into objects. A string
 * goes in as it is, anything else as JSON; a name without a value stays as written. There is one pass: what was put in
 * is neither expanded again nor evaluated. `undefined` when the outcome would exceed `MAX_PROMPT_LENGTH`.
 */
export function renderTemplate(template: string, values: JsonObject): string | undefined {
  const parts: string[] = [];
  let length = 0;
  let end = 0;
  const append = (part: string): boolean => {
    parts.push(part);
    length += part.length;
    return length <= MAX_PROMPT_LENGTH;
  };
  for (const match of template.matchAll(PLACEHOLDER)) {
    const text = textOf(lookUp(values, match[1] ?? '')) ?? match[0];
    if (!append(template.slice(end, match.index)) || !append(text)) return undefined;
    end = match.index + match[0].length;
  }
  return append(template.slice(end)) ? parts.join('') : undefined;
}

/** Only what an object itself holds: a template does not reach into the language's own properties. */
function lookUp(values: JsonObject, path: string): unknown {
  let value: unknown = values;
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
