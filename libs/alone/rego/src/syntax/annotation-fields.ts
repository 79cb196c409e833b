import { fromPlain } from '../values/convert.js';
import { RegoObject } from '../values/value.js';

/** A fault in a metadata block. */
export class AnnotationFault extends Error {}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the valid fields of a block in the form that policies see: empty and unknown fields are absent. Throws
 * `AnnotationFault`.
 */
export function annotationFields(block: Fields): RegoObject {
  const fields: Record<string, unknown> = {
    scope: text(block['scope']),
    title: text(block['title']),
    entrypoint: flag(block['entrypoint']),
    description: text(block['description']),
    organizations: list(block['organizations']).map(text),
    related_resources: list(block['related_resources']).map(resource),
    authors: list(block['authors']).map(author),
    schemas: list(block['schemas']).map(schema),
    custom: mapping(block['custom'] ?? {}, 'custom'),
  };
  return fromPlain(withoutEmpty(fields)) as RegoObject;
}

function withoutEmpty(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === '' || value === false;
}

function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') throw new AnnotationFault('expected text');
  return String(value);
}

function flag(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw new AnnotationFault('entrypoint must be true or false');
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new AnnotationFault('expected a list');
  return value;
}

function mapping(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AnnotationFault(`${name} must be a mapping`);
  return value as Fields;
}

function resource(item: unknown): Fields {
  const isText = typeof item === 'string';
  const fields = isText ? { ref: item } : mapping(item, 'related resource');
  const ref = text(fields['ref']).trim();
  if (ref === '') throw new AnnotationFault('a related resource needs a ref');
  return withoutEmpty({ ref, description: text(fields['description']).trim() });
}

/** Reads an author: `Name <email>`, or an object with both. */
function author(item: unknown): Fields {
  const fields = typeof item === 'string' ? authorOf(item) : mapping(item, 'author');
  const [name, email] = [text(fields['name']).trim(), text(fields['email']).trim()];
  if (name === '' && email === '') throw new AnnotationFault('an author needs a name or an email');
  return withoutEmpty({ name, email });
}

function authorOf(item: string): Fields {
  const words = item.split(/\s+/).filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  const isEmail = last.length >= 2 && last.startsWith('<') && last.endsWith('>');
  return isEmail ? { name: words.slice(0, -1).join(' '), email: last.slice(1, -1) } : { name: words.join(' ') };
}

/** Reads `{ reference: schema }`. The schema is a reference or an object. */
function schema(item: unknown): Fields {
  const [[reference, value] = ['', undefined]] = Object.entries(mapping(item, 'schema'));
  const path = referencePath(reference);
  if (typeof value === 'string') return { path, schema: referencePath(value) };
  return { path, definition: mapping(value, `schema of ${reference}`) };
}

const PART = /(?:^|\.)([A-Za-z_][A-Za-z0-9_]*)|\["([^"\\]*)"\]/y;

function referencePath(reference: string): readonly string[] {
  const path: string[] = [];
  PART.lastIndex = 0;
  for (let at = 0; at < reference.length; at = PART.lastIndex) {
    const match = PART.exec(reference);
    if (match === null) throw new AnnotationFault(`invalid document reference ${reference}`);
    path.push(match[1] ?? match[2] ?? '');
  }
  if (path.length === 0) throw new AnnotationFault('invalid document reference');
  return path;
}
