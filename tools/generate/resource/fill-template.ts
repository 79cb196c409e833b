import { InvalidResource } from './invalid-resource.js';
import type { ResourceNames } from './resource-names.js';

/** The number of the migration in the templates. */
const MIGRATION_NUMBER = '1700000000000';

/**
 * Fills a template, or the path of one, with the names of a resource. Templates contain the placeholder name "some
 * thing" in every spelling that code needs (`SomeThing`, `someThing`, `some-thing`, `some_thing`, `some thing`, `Some
 * thing`), in singular and plural, the key scopes `some:read` and `some:write`, and the description `Some description`.
 */
export function fillTemplate(template: string, names: ResourceNames, migrationNumber: number): string {
  const withArticles = template.replaceAll(/\b([Aa]) some thing\b/g, (_match, article: string) =>
    [`${article}${needsAn(names.singular) ? 'n' : ''}`, 'some thing'].join(' '),
  );
  const spellings = [
    ...spellingsOf(['some', 'things'], names.plural),
    ...spellingsOf(['some', 'thing'], names.singular),
  ];
  return [
    ...spellings,
    [MIGRATION_NUMBER, String(migrationNumber)] as const,
    ['some:read', names.readScope] as const,
    ['some:write', names.writeScope] as const,
    ['Some description', names.description] as const,
  ].reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), withArticles);
}

export interface Spellings {
  readonly pascal: string;
  readonly camel: string;
  readonly kebab: string;
  readonly snake: string;
  readonly text: string;
  readonly sentence: string;
}

export function spell(words: readonly string[]): Spellings {
  const pascal = words.map(capitalize).join('');
  const text = words.join(' ');
  return {
    pascal,
    camel: `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}`,
    kebab: words.join('-'),
    snake: words.join('_'),
    text,
    sentence: capitalize(text),
  };
}

/**
 * Throws `InvalidResource` if a variable or class in the generated code would have the name of another one or a
 * reserved word of TypeScript.
 */
export function rejectUsedIdentifiers(templates: readonly string[], { singular, plural }: ResourceNames): void {
  const used = new Set(templates.flatMap((template) => withoutTexts(template).match(/[A-Za-z_]\w*/g) ?? []));
  const own = [singular, plural].flatMap((words) => [spell(words).camel, spell(words).pascal]);
  const taken = own.find((name) => used.has(name) || RESERVED_WORDS.has(name));
  if (taken === undefined) return;
  throw new InvalidResource(`The generated code already uses the identifier "${taken}"; choose a more specific name.`);
}

/** Reserved words that no template uses. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'any boolean break case catch continue debugger default do else enum finally function in instanceof number object package private protected public super switch symbol throw try typeof unknown var void while with yield references'.split(
    ' ',
  ),
);

/** The template without its comments and without the contents of its strings. */
function withoutTexts(template: string): string {
  return template.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, ' ');
}

function spellingsOf(placeholder: readonly string[], words: readonly string[]): [string, string][] {
  const [from, to] = [spell(placeholder), spell(words)];
  return (Object.keys(from) as (keyof Spellings)[]).map((form) => [from[form], to[form]]);
}

/** Chooses the article by the pronunciation of the first letters: "an agent", "a user". */
function needsAn([first = '']: readonly string[]): boolean {
  return /^[aeiou]/.test(first) && !/^(u[^aeiou][aeiou]|eu|one)/.test(first);
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
