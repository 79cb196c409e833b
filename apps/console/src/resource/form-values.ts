import { parseWithBigInts, stringifyWithBigInts } from '@app/api-client';
import type { Form, FormField } from '../api/form';

export type Values = Readonly<Record<string, unknown>>;

export interface ReadForm<Body> {
  readonly body: Partial<Body>;
  /** What is wrong with a field, by its name. */
  readonly faults: Readonly<Record<string, string>>;
}

/**
 * Reads what a person entered. For a new thing, empty fields are left out: the API sets its defaults. For a stored
 * thing, only what differs is returned, because somebody else may be changing the rest; null clears a field.
 */
export function readForm<Body>({ fields }: Form<Body>, data: FormData, stored?: Values): ReadForm<Body> {
  const body: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const field of fields) {
    try {
      const value = valueOf(field, data);
      const before = stored === undefined ? field.initial : stored[field.name];
      const isLeftEmpty = stored === undefined && field.kind !== 'flag' && isNothing(value);
      if (!isLeftEmpty && !isSame(value, before)) body[field.name] = value;
    } catch (error) {
      faults[field.name] = `This is not JSON: ${(error as Error).message}`;
    }
  }
  return { body: body as Partial<Body>, faults };
}

function valueOf({ name, kind }: FormField, data: FormData): unknown {
  if (kind === 'flag') return data.has(name);
  const texts = data.getAll(name).map(String);
  if (kind === 'lines') return texts.flatMap((text) => text.split('\n')).flatMap((line) => line.trim() || []);
  const [text = ''] = texts;
  if (text.trim() === '') return null;
  if (kind === 'json') return parseWithBigInts(text);
  if (kind === 'integer' || kind === 'number') return Number(text);
  return kind === 'text' ? text : text.trim();
}

/** A field that a person changed and somebody else as well. */
export interface Rival {
  readonly label: string;
  /** What the other one stored. */
  readonly text: string;
}

/** Returns the fields of `edits` whose stored values differ. */
export function rivalsOf(fields: readonly FormField[], edits: Values, before: Values, after: Values): readonly Rival[] {
  const changed = fields.filter(({ name }) => name in edits && !isSame(after[name], before[name]));
  return changed.map((field) => ({ label: labelOf(field.name), text: shownText(field, after[field.name]) }));
}

/** Returns what a field shows of a value. Flags are no texts. */
export function shownText({ kind }: FormField, value: unknown): string {
  if (isNothing(value)) return '';
  if (kind === 'lines') return (value as readonly string[]).join('\n');
  return kind === 'json' ? stringifyWithBigInts(value, 2) : String(value);
}

function isSame(entered: unknown, stored: unknown): boolean {
  return (isNothing(entered) && isNothing(stored)) || normalized(entered) === normalized(stored);
}

/** Browsers change the ends of lines of what they show, and single lines have no spaces around them here. */
function normalized(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : stringifyWithBigInts(value);
}

function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === '' || value === false;
}

/** Returns the name of a field in words: `policy_ids` is about policies. */
export function labelOf(name: string): string {
  const words = name
    .replace(/y_ids$/, 'ies')
    .replace(/_ids$/, 's')
    .replace(/_id$/, '')
    .replaceAll('_', ' ');
  const label = words.replace(/\b(?:url|llm)\b/, (abbreviation) => abbreviation.toUpperCase());
  return `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
}
