import { invalid, type Fault } from '@app/kernel';
import { WireProblem } from './wire-problem.js';

/** How deep a JSON body may nest. */
const MAX_DEPTH = 64;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);
/** NUL, which PostgreSQL's text lacks, and halves of surrogate pairs, which are no characters. */
const UNSTORABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const decoder = new TextDecoder('utf-8', { fatal: true });

export function isJsonType(contentType: string | undefined): boolean {
  const mediaType = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return mediaType === 'application/json' || mediaType.endsWith('+json');
}

/** The value of a JSON body. An empty body is `undefined`, for routes that need none. */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (bytes.length === 0) return undefined;
  if (!isJsonType(contentType)) throw new WireProblem(415, 'Send the body as Content-Type: application/json');
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    throw invalid([{ loc: ['body'], msg: `JSON decode error: ${(error as Error).message}`, type: 'json_invalid' }]);
  }
  const faults = findUnsafe(value);
  if (faults.length > 0) throw invalid(faults);
  return value;
}

/** Walks without recursion, so that no input can exhaust the stack. */
function findUnsafe(root: unknown): Fault[] {
  const faults: Fault[] = [];
  const open: { value: unknown; loc: readonly string[] }[] = [{ value: root, loc: ['body'] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, loc } = next;
    if (typeof value === 'string') {
      if (UNSTORABLE.test(value)) faults.push(fault(loc, 'String should not contain NUL or unpaired surrogates'));
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) faults.push(fault(loc, 'Number is out of range'));
    } else if (typeof value === 'object' && value !== null) {
      if (loc.length > MAX_DEPTH) return [fault(['body'], `Input should nest at most ${MAX_DEPTH} levels deep`)];
      for (const [key, child] of Object.entries(value)) {
        if (FORBIDDEN_KEYS.has(key)) faults.push(fault([...loc, key], 'This key is not allowed'));
        else if (UNSTORABLE.test(key)) faults.push(fault(loc, 'Keys should not contain NUL or unpaired surrogates'));
        else open.push({ value: child, loc: [...loc, key] });
      }
    }
  }
  return faults.reverse();
}

function fault(loc: readonly string[], msg: string): Fault {
  return { loc, msg, type: 'value_error' };
}
