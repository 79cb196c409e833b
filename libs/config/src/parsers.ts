import type { Parser } from './env-var.js';

export function text(limits: { readonly minLength?: number } = {}): Parser<string> {
  return (value) => {
    const least = limits.minLength ?? 1;
    if (value.length < least) throw new Error(`expected at least ${least} characters`);
    return value;
  };
}

export function integer(range: { readonly min: number; readonly max: number }): Parser<number> {
  return (value) => {
    const parsed = Number(value);
    if (!Number.isInteger(parsed) || parsed < range.min || parsed > range.max) {
      throw new Error(`expected a whole number from ${range.min} to ${range.max}, got "${value}"`);
    }
    return parsed;
  };
}

export function decimal(range: { readonly min: number; readonly max: number }): Parser<number> {
  return (value) => {
    const parsed = Number(value);
    if (!Number.isFinite(parsed) || parsed < range.min || parsed > range.max) {
      throw new Error(`expected a number from ${range.min} to ${range.max}, got "${value}"`);
    }
    return parsed;
  };
}

export const port: Parser<number> = integer({ min: 0, max: 65_535 });

export function oneOf<const T extends string>(values: readonly T[]): Parser<T> {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`expected one of ${values.join(', ')}, got "${value}"`);
    return found;
  };
}

export const flag: Parser<boolean> = (value) => {
  if (/^(true|1|yes|on)$/i.test(value)) return true;
  if (/^(false|0|no|off)$/i.test(value)) return false;
  throw new Error(`expected true or false, got "${value}"`);
};

/** An address with one of the given protocols. The message never repeats the value: it may hold a password. */
export function address(protocols: readonly string[]): Parser<string> {
  const expected = protocols.map((protocol) => `${protocol}://`).join(' or ');
  return (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol.replace(':', ''))) {
      throw new Error(`expected an address beginning with ${expected}`);
    }
    return value.replace(/\/+$/, '');
  };
}
