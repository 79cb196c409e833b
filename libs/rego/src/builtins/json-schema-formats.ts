import { isIPv4, isIPv6 } from 'node:net';

const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => DATE.test(text),
  time: (text) => TIME.test(text),
  'date-time': (text) => DATE.test(text.slice(0, 10)) && /^[Tt ]$/.test(text[10] ?? '') && TIME.test(text.slice(11)),
  hostname: (text) => text.length < 256 && text.split('.').every((label) => LABEL.test(label)),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  uri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && !/\\/.test(text),
  iri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && !/\\/.test(text),
  'iri-reference': (text) => !/[\\\s]/.test(text),
  'uri-reference': (text) => !/[\\\s]/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  'json-pointer': (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text),
};

/** Formats that are not known are not checked. */
export function fitsFormat(format: string, text: string): boolean {
  if (text.length > 4096 || !Object.hasOwn(FORMATS, format)) return true;
  return FORMATS[format]?.(text) ?? true;
}
