import { ExactNumber, headOf, MAX_FAULTS, parseExactJson } from '@app/kernel';
import { HttpProblem } from '../errors/http-problem.js';
import { InvalidRequest, type LocatedFault } from '../errors/invalid-request.js';

/** Levels of nesting. */
const MAX_DEPTH = 64;
/** Maximum number of characters of a key in the location of a fault. */
const MAX_SHOWN_KEY = 100;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);
/** NUL, which PostgreSQL's text cannot store, and unpaired surrogates. */
const UNSTORABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const UNSTORABLE_KEY = 'Keys should not contain NUL or unpaired surrogates';
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Each `charset` parameter of a content type; the value may be quoted. */
const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/gi;
const UTF_8 = /^utf-?8$/i;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? '';
}

function isJsonType(contentType: string): boolean {
  const mediaType = mediaTypeOf(contentType);
  return mediaType === JSON_TYPE || mediaType.endsWith('+json');
}

/** Throws unless the type is JSON in UTF-8, the only encoding of JSON between systems (RFC 8259, section 8.1). */
function requireJson(contentType = ''): void {
  if (contentType === JSON_TYPE) return;
  if (!isJsonType(contentType))
    throw new HttpProblem('unsupported_media_type', 'Send the body as Content-Type: application/json');
  for (const [, quoted, plain] of contentType.matchAll(CHARSET)) {
    const isUtf8 = UTF_8.test((quoted ?? plain ?? '').trim());
    if (!isUtf8) throw new HttpProblem('unsupported_media_type', 'Send the body in UTF-8, the only charset of JSON');
  }
}

/** Parses a JSON body. Returns undefined for an empty one; throws `InvalidRequest` with all faults. */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  const { value, faults } = readJson(bytes, contentType);
  if (faults.length > 0) throw new InvalidRequest(faults);
  return value;
}

/**
 * Parses a body of JSON or of an HTML form, which is checked like JSON. The value of a form is the JSON in its field
 * `payload`, where GitHub and Slack put theirs; without that field, an object of its fields, the last of each name.
 */
export function parseJsonOrFormBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  const isForm = bytes.length > 0 && mediaTypeOf(contentType ?? '') === FORM_TYPE;
  if (!isForm) return parseJsonBody(bytes, contentType);
  const fields = new URLSearchParams(Buffer.from(bytes).toString());
  const json = fields.get('payload') ?? JSON.stringify(Object.fromEntries(fields));
  return parseJsonBody(Buffer.from(json), JSON_TYPE);
}

export interface ReadJson {
  readonly value: unknown;
  /** Forbidden texts and keys. If there are any, the value (without forbidden keys) is used only to find further faults. */
  readonly faults: readonly LocatedFault[];
}

/** Parses a JSON body and returns the faults of its texts and keys. Throws if there is no value to examine. */
export function readJson(bytes: Uint8Array, contentType: string | undefined): ReadJson {
  if (bytes.length === 0) return { value: undefined, faults: [] };
  requireJson(contentType);
  let value: unknown;
  try {
    value = parseExactJson(decoder.decode(bytes));
  } catch (error) {
    throw new InvalidRequest([
      { loc: ['body'], msg: `JSON decode error: ${(error as Error).message}`, type: 'json_invalid' },
    ]);
  }
  const faults = removeForbiddenKeys(value);
  if (faults.length >= MAX_FAULTS) throw new InvalidRequest(faults);
  return { value, faults };
}

/** An object or list on the path to the current value, and the position of the current child. */
interface Frame {
  readonly holder: Readonly<Record<string, unknown>>;
  /** The keys of an object; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  at: number;
}

/**
 * Returns the faults of texts, numbers and keys in document order, and deletes forbidden keys, so that later code cannot
 * act on them. Throws if the value nests too deep. The walk is iterative and keeps only the current path, so no input
 * can exhaust the stack or the heap.
 */
function removeForbiddenKeys(root: unknown): LocatedFault[] {
  const faults: LocatedFault[] = [];
  const way: Frame[] = [];
  const look = (value: unknown): void => {
    if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) way.push(frameOf(value));
    else report(faultOfScalar(value), way);
  };
  const report = (msg: string | undefined, path: readonly Frame[]): void => {
    if (msg !== undefined) faults.push({ loc: ['body', ...path.map(keyAt)], msg, type: 'value_error' });
  };
  look(root);
  for (let frame = way.at(-1); frame !== undefined && faults.length < MAX_FAULTS; frame = way.at(-1)) {
    if (way.length > MAX_DEPTH) {
      const msg = `Input should nest at most ${MAX_DEPTH} levels deep`;
      throw new InvalidRequest([{ loc: ['body'], msg, type: 'value_error' }]);
    }
    frame.at += 1;
    const key = frame.keys?.[frame.at];
    if (frame.at >= frame.size) way.pop();
    else if (key !== undefined && FORBIDDEN_KEYS.has(key)) {
      report('This key is not allowed', way);
      Reflect.deleteProperty(frame.holder, key);
    } else if (key !== undefined && UNSTORABLE.test(key)) report(UNSTORABLE_KEY, way.slice(0, -1));
    else look(frame.holder[key ?? frame.at]);
  }
  return faults;
}

function frameOf(value: object): Frame {
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const size = Array.isArray(value) ? value.length : (keys?.length ?? 0);
  return { holder: value as Record<string, unknown>, keys, size, at: -1 };
}

/** Truncates long keys: every fault below a key repeats it. */
function keyAt({ keys, at }: Frame): string {
  const key = keys?.[at] ?? String(at);
  return key.length > MAX_SHOWN_KEY ? `${headOf(key, MAX_SHOWN_KEY)}…` : key;
}

function faultOfScalar(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return UNSTORABLE.test(value) ? 'String should not contain NUL or unpaired surrogates' : undefined;
  }
  return value instanceof ExactNumber ? value.fault : undefined;
}
