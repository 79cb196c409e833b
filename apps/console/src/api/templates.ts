import { stringifyWithBigInts } from '@app/api-client';
const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** Returns the names of the placeholders of a template, each once: `{{ customer.name }}` is `customer.name`. */
export function placeholdersIn(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Returns the names of the steps for which a step waits: those that it names, and those whose output it uses. */
export function stepsBefore(step: { readonly depends_on?: readonly string[] | null }): string[] {
  const used = placeholdersIn(stringifyWithBigInts(step)).flatMap((name) => /^steps\.([\w-]+)/.exec(name)?.[1] ?? []);
  return [...new Set([...(step.depends_on ?? []), ...used])];
}
