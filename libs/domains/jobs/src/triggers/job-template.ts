import { isJsonObject, placeholdersIn, type JsonObject } from '@app/kernel';

/**
 * The maximum length of a rendered prompt, in UTF-16 code units; equal to the body limit of a request. A short template
 * can repeat a long value many times.
 */
export const MAX_PROMPT_LENGTH = 1_048_576;

/**
 * Replaces the placeholders `{{ name }}` of a template by values; dots in a name access nested objects. Strings are
 * inserted unchanged, other values as JSON; a placeholder without a value remains. Inserted values are not expanded
 * again. Returns undefined if the result would exceed `MAX_PROMPT_LENGTH`.
 */
export function renderTemplate(template: string, values: JsonObject): string | undefined {
  const parts: string[] = [];
  let length = 0;
  let copied = 0;
  const append = (part: string): boolean => {
    parts.push(part);
    length += part.length;
    return length <= MAX_PROMPT_LENGTH;
  };
  for (const { name, start, end } of placeholdersIn(template)) {
    const text = textOf(lookUp(values, name)) ?? template.slice(start, end);
    if (!append(template.slice(copied, start)) || !append(text)) return undefined;
    copied = end;
  }
  return append(template.slice(copied)) ? parts.join('') : undefined;
}

/** Returns the names of the placeholders of a template that have no value, each once. */
export function namesWithoutValue(template: string, values: JsonObject): string[] {
  const names = new Set([...placeholdersIn(template)].map(({ name }) => name));
  return [...names].filter((name) => lookUp(values, name) === undefined);
}

/** Reads only own properties, so that a template cannot access prototypes. */
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
