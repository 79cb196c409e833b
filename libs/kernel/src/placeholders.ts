const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g;

/** A `{{ name }}` in a template of a job or a workflow. */
export interface Placeholder {
  readonly name: string;
  /** Where it begins and ends in the template, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** Returns the placeholders of a template in their order. Dots in a name access nested objects. */
export function* placeholdersIn(template: string): Generator<Placeholder> {
  for (const { 0: text, 1: name = '', index: start } of template.matchAll(PLACEHOLDER)) {
    yield { name, start, end: start + text.length };
  }
}

/** A name in a template, and the path of the text that contains it. */
interface PlaceholderAt {
  readonly name: string;
  readonly path: readonly string[];
}

/** Returns the names in the texts of a value, at any depth. Is not recursive. */
function placeholdersAt(root: unknown, path: readonly string[]): PlaceholderAt[] {
  const names: PlaceholderAt[] = [];
  const pending: (readonly [unknown, readonly string[]])[] = [[root, path]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, at] = next;
    if (typeof value === 'string') {
      for (const { name } of placeholdersIn(value)) names.push({ name, path: at });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value).toReversed()) pending.push([inner, [...at, key]]);
    }
  }
  return names;
}

/** What of a step of a workflow can contain templates. */
interface StepTemplates {
  readonly prompt?: unknown;
  readonly tool?: unknown;
}

/** Returns the names in the templates of a step of a workflow: its prompt, and the texts in the arguments of its tool. */
export function placeholdersOfStep({ prompt, tool }: StepTemplates): PlaceholderAt[] {
  const { arguments: toolArguments } = (tool ?? {}) as { arguments?: unknown };
  return [...placeholdersAt(prompt, ['prompt']), ...placeholdersAt(toolArguments, ['tool', 'arguments'])];
}
