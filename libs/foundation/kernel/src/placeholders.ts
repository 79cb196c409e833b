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
