import { isIPv4, isIPv6 } from 'node:net';
import type { Run } from '../evaluate/run.js';
import { compilePattern } from './regex.js';
import { parseTime } from './time-parser.js';
import { BuiltinError } from './types.js';

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const TIMES = ['15:04:05Z07:00', '15:04:05'];
const DATE = '2006-01-02';

type Format = (text: string, run: Run) => boolean;

/** Returns whether `read` does not throw. */
function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof BuiltinError) return false;
    throw error;
  }
}

function isTime(text: string, layouts: readonly string[]): boolean {
  return layouts.some((layout) => isReadable(() => parseTime(layout, text)));
}

const isEmail: Format = (text) => /^(?:[^\s@<>]+@[^\s@<>]+|[^<>]*<[^\s@<>]+@[^\s@<>]+>)$/.test(text.trim());
const isReference: Format = (text) => !/[\\\u0000-\u001f\u007f]/.test(text) && !/%(?![0-9a-fA-F]{2})/.test(text);
const isUri: Format = (text, run) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && isReference(text, run);

const FORMATS: Readonly<Record<string, Format>> = {
  date: (text) => isTime(text, [DATE]),
  time: (text) => isTime(text, TIMES),
  'date-time': (text) => isTime(text, [...TIMES, DATE, '2006-01-02T15:04:05Z07:00']),
  hostname: (text) => text.length < 256 && text.split('.').every((label) => LABEL.test(label)),
  email: isEmail,
  'idn-email': isEmail,
  ipv4: isIPv4,
  ipv6: isIPv6,
  uri: isUri,
  iri: isUri,
  'uri-reference': isReference,
  'iri-reference': isReference,
  'uri-template': (text, run) => isReference(text, run) && /^(?:[^{}]|\{[^{}]*\})*$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  regex: (text, run) => isReadable(() => compilePattern(text, run)),
  'json-pointer': (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text),
  'relative-json-pointer': (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text),
};

/** Returns whether a text has a format. Unknown formats are not checked. */
export function fitsFormat(format: string, text: string, run: Run): boolean {
  if (text.length > 4096 || !Object.hasOwn(FORMATS, format)) return true;
  return FORMATS[format]?.(text, run) ?? true;
}
