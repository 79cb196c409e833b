import { chosenKeyFault } from '@app/kernel';
import type { Parser } from './env-var.js';

export function text(): Parser<string> {
  return (value) => value;
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

/** The address of a server itself: what follows its port is added by those who call it. */
export function origin(protocols: readonly string[]): Parser<string> {
  const parse = address(protocols);
  return (value) => {
    const { pathname, search, hash } = new URL(parse(value));
    if (pathname !== '/' || search !== '' || hash !== '') {
      throw new Error('expected the address of the server alone, without a path such as /api/v1');
    }
    return parse(value);
  };
}

/** Origins of web pages, separated by commas, each as a browser writes it; `*` stands for every one. */
export const webOrigins: Parser<readonly string[]> = (value) => {
  const parse = origin(['http', 'https']);
  return value
    .split(',')
    .map((part) => part.trim())
    .map((part) => (part === '*' ? part : new URL(parse(part)).origin));
};

/** A secret that is sent in a header. The message never repeats it. */
export function headerSecret(): Parser<string> {
  return (value) => {
    if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
      throw new Error('has a character that no header can carry (an ellipsis, an accent, a space at its end)');
    }
    return value;
  };
}

/** A key of this platform's own that somebody chose. The message never repeats it. */
export const chosenKey: Parser<string> = (value) => {
  const fault = chosenKeyFault(value);
  if (fault !== undefined) throw new Error(fault);
  return value;
};
