import { KEY_SCOPES, type KeyScope } from '@app/kernel';
import { InvalidResource } from './invalid-resource.js';

/** The names that replace the placeholders of the templates. */
export interface ResourceNames {
  /** Lower-case words: `['worker', 'queue']`. */
  readonly singular: readonly string[];
  readonly plural: readonly string[];
  readonly readScope: KeyScope;
  readonly writeScope: KeyScope;
  /** A noun phrase for readers of the API: "Widgets that teams share". */
  readonly description: string;
}

export interface ResourceOptions {
  /** Words separated by spaces or hyphens. */
  readonly name: string;
  /** Default: the regular plural of the name. */
  readonly plural?: string;
  /** First part of the key scopes of the routes. Default: the plural. */
  readonly scope?: string;
  /** Default: the plural. */
  readonly description?: string;
}

/** PostgreSQL truncates longer identifiers. */
const IDENTIFIER_MAX_LENGTH = 63;
const LONGEST_IDENTIFIER = (table: string): string => `ix_${table}_organization_id_created_at`;
/** The description is one line of the documents. */
const DESCRIPTION = /^[A-Za-z0-9][\w ,:()-]{0,89}$/;
const WORDS = /^[a-z][a-z0-9]*([ -][a-z][a-z0-9]*)*$/;

/** Throws `InvalidResource` for a name that does not consist of words or is too long, and for an unknown scope. */
export function resourceNames({ name, plural, scope, description }: ResourceOptions): ResourceNames {
  const singular = wordsOf('name', name);
  const words = plural === undefined ? pluralOf(singular) : wordsOf('plural', plural);
  if (words.join(' ') === singular.join(' ')) {
    throw new InvalidResource(`The plural must differ from the singular "${singular.join(' ')}".`);
  }
  if (LONGEST_IDENTIFIER(words.join('_')).length > IDENTIFIER_MAX_LENGTH) {
    throw new InvalidResource(`The name "${name}" is too long: PostgreSQL would truncate the names of its indexes.`);
  }
  return {
    singular,
    plural: words,
    description: described(description ?? words.join(' ')),
    ...scopesOf(scope ?? words.join('-')),
  };
}

function wordsOf(what: string, text: string): readonly string[] {
  if (!WORDS.test(text)) {
    throw new InvalidResource(
      `The ${what} "${text}" must be lower-case words: letters and digits, such as "work item".`,
    );
  }
  return text.split(/[ -]/);
}

/** Returns the description with a capital letter. */
function described(text: string): string {
  if (!DESCRIPTION.test(text)) {
    throw new InvalidResource('The description must be one line of at most 90 letters, digits, spaces and , : ( ) -.');
  }
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function pluralOf(singular: readonly string[]): readonly string[] {
  const last = singular.at(-1) ?? '';
  return [...singular.slice(0, -1), pluralOfWord(last)];
}

/** Returns the regular plural (`boxes` for `box`, `policies` for `policy`). `--plural` overrides it. */
function pluralOfWord(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Scopes that change something end in `write` or `manage`. */
function scopesOf(scope: string): Pick<ResourceNames, 'readScope' | 'writeScope'> {
  const find = (...actions: readonly string[]): KeyScope | undefined =>
    KEY_SCOPES.find((known) => actions.some((action) => known === `${scope}:${action}`));
  const readScope = find('read');
  const writeScope = find('write', 'manage');
  if (readScope === undefined || writeScope === undefined) {
    throw new InvalidResource(
      `There are no key scopes to read and write "${scope}". Choose others with --scope, for example --scope agents. ` +
        `Scopes: ${KEY_SCOPES.join(', ')}.`,
    );
  }
  return { readScope, writeScope };
}
