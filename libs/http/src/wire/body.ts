import { invalid, MAX_FAULTS, type Fault } from '@app/kernel';
import { WireProblem } from './wire-problem.js';

/** How deep a JSON body may nest. */
const MAX_DEPTH = 64;
/** Characters of a key that are told. */
const MAX_TOLD_KEY = 100;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);
/** NUL, which PostgreSQL's text lacks, and halves of surrogate pairs, which are no characters. */
const UNSTORABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const UNSTORABLE_KEY = 'Keys should not contain NUL or unpaired surrogates';
const decoder = new TextDecoder('utf-8', { fatal: true });

function isJsonType(contentType: string | undefined): boolean {
  const mediaType = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return mediaType === 'application/json' || mediaType.endsWith('+json');
}

/** The value of a JSON body. An empty body is `undefined`, for routes that need none. */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  const { value, faults } = readJson(bytes, contentType);
  if (faults.length > 0) throw invalid(faults);
  return value;
}

export interface ReadJson {
  readonly value: unknown;
  /** What in it may not be: the value, without its forbidden keys, is good only to look for more faults in it. */
  readonly faults: readonly Fault[];
}

/** The same, with the faults of texts and keys told instead of thrown; throws where there is no value to look at. */
export function readJson(bytes: Uint8Array, contentType: string | undefined): ReadJson {
  if (bytes.length === 0) return { value: undefined, faults: [] };
  if (!isJsonType(contentType)) throw new WireProblem(415, 'Send the body as Content-Type: application/json');
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    throw invalid([{ loc: ['body'], msg: `JSON decode error: ${(error as Error).message}`, type: 'json_invalid' }]);
  }
  const faults = takeOutUnsafe(value);
  if (faults.length >= MAX_FAULTS) throw invalid(faults);
  return { value, faults };
}

/** An object or list on the way down, and which of its children is being looked at. */
interface Frame {
  readonly holder: Readonly<Record<string, unknown>>;
  /** Of an object; a list has its positions. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  at: number;
}

/**
 * What could not be stored or answered, in the order of the document; forbidden keys are taken out, because whoever
 * looks at them may fall for them. Throws where it nests too deep. Walks without recursion and remembers only the way
 * down, so that no input can exhaust the stack or the heap.
 */
function takeOutUnsafe(root: unknown): Fault[] {
  const faults: Fault[] = [];
  const way: Frame[] = [];
  const look = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) way.push(frameOf(value));
    else report(faultOfScalar(value), way);
  };
  const report = (msg: string | undefined, path: readonly Frame[]): void => {
    if (msg !== undefined) faults.push({ loc: ['body', ...path.map(keyAt)], msg, type: 'value_error' });
  };
  look(root);
  for (let frame = way.at(-1); frame !== undefined && faults.length < MAX_FAULTS; frame = way.at(-1)) {
    if (way.length > MAX_DEPTH) {
      const msg = `Input should nest at most ${MAX_DEPTH} levels deep`;
      throw invalid([{ loc: ['body'], msg, type: 'value_error' }]);
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

/** The beginning will do of a long key: it is told again with each fault below it. */
function keyAt({ keys, at }: Frame): string {
  const key = keys?.[at] ?? String(at);
  return key.length > MAX_TOLD_KEY ? `${key.slice(0, MAX_TOLD_KEY)}…` : key;
}

function faultOfScalar(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return UNSTORABLE.test(value) ? 'String should not contain NUL or unpaired surrogates' : undefined;
  }
  return typeof value === 'number' && !Number.isFinite(value) ? 'Number is out of range' : undefined;
}
