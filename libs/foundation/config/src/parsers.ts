import { isIP } from 'node:net';
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

/**
 * Values separated by commas; empty ones are ignored. `values` lists the allowed values, null allows any. The text
 * `none` is the empty list.
 */
export function listOf(values: readonly string[] | null): Parser<readonly string[]> {
  return (text) => {
    const items = text.split(',').map((item) => item.trim());
    const chosen = text.trim() === 'none' ? [] : items.filter((item) => item !== '');
    const unknown = chosen.find((item) => values !== null && !values.includes(item));
    if (unknown === undefined) return chosen;
    throw new Error(`expected some of ${values?.join(', ')}, separated by commas, or none, got "${unknown}"`);
  };
}

/** Words separated by spaces or commas. */
export const wordList: Parser<readonly string[]> = (value) => value.split(/[\s,]+/).filter((word) => word !== '');

export const flag: Parser<boolean> = (value) => {
  if (/^(true|1|yes|on)$/i.test(value)) return true;
  if (/^(false|0|no|off)$/i.test(value)) return false;
  throw new Error(`expected true or false, got "${value}"`);
};

/** A URL with one of the given protocols. The error does not repeat the value, because it may contain a password. */
export function address(protocols: readonly string[]): Parser<string> {
  const expected = protocols.map((protocol) => `${protocol}://`).join(' or ');
  return (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol.replace(':', ''))) {
      throw new Error(`expected a URL that begins with ${expected}`);
    }
    return value.replace(/\/+$/, '');
  };
}

/** The URL of a server without path, query and fragment; callers append them. */
export function origin(protocols: readonly string[]): Parser<string> {
  const parse = address(protocols);
  return (value) => {
    const { pathname, search, hash } = new URL(parse(value));
    if (pathname !== '/' || search !== '' || hash !== '') {
      throw new Error('expected the URL of the server without a path such as /api/v1');
    }
    return parse(value);
  };
}

/** Origins of web pages, separated by commas, in the form that browsers send; `*` allows all. */
export const webOrigins: Parser<readonly string[]> = (value) => {
  const parse = origin(['http', 'https']);
  return value
    .split(',')
    .map((part) => part.trim())
    .map((part) => (part === '*' ? part : new URL(parse(part)).origin));
};

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * Proxies whose `X-Forwarded-For` names the client: the number of proxies in front of the process, or their addresses and
 * networks, separated by commas.
 */
export const trustedProxies: Parser<number | readonly string[]> = (value) => {
  if (/^\d+$/.test(value)) return integer({ min: 0, max: 10 })(value);
  const parts = value.split(',').map((part) => part.trim());
  const wrong = parts.find((part) => !NAMED_NETWORKS.includes(part) && !isNetwork(part));
  if (wrong !== undefined) {
    const named = NAMED_NETWORKS.join(', ');
    throw new Error(
      `expected the number of proxies, or their addresses, networks (10.0.0.0/8), ${named}; got "${wrong}"`,
    );
  }
  return parts;
};

function isNetwork(text: string): boolean {
  const [ip = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(ip)] ?? -1;
  if (prefix === undefined) return bits > 0;
  return rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits && Number(prefix) > 0;
}

const HOST_NAME = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i;

/** Host names, addresses and networks, separated by commas; names in lower case. */
export const hostList: Parser<readonly string[]> = (value) => {
  const parts = value.split(',').map((part) => part.trim().toLowerCase());
  const wrong = parts.find((part) => !isNetwork(part) && !HOST_NAME.test(part));
  if (wrong !== undefined) throw new Error(`expected host names, addresses or networks (10.0.0.0/8); got "${wrong}"`);
  return parts;
};

const MAX_DELAY_SECONDS = 604_800;

/** One to 20 whole numbers of seconds, each at most a week, separated by commas. */
export const secondsList: Parser<readonly number[]> = (value) => {
  const seconds = value.split(',').map((part) => integer({ min: 0, max: MAX_DELAY_SECONDS })(part.trim()));
  if (seconds.length > 20) throw new Error('expected at most 20 numbers');
  return seconds;
};

/** A secret that is sent in a header. The error does not repeat it. */
export function headerSecret(): Parser<string> {
  return (value) => {
    if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
      throw new Error(
        'contains a character that is not allowed in a header (such as an ellipsis, an accent or a trailing space)',
      );
    }
    return value;
  };
}

/** A key of 32 bytes in base64 or base64url. The error does not repeat it. */
export const base64Key: Parser<Buffer> = (value) => {
  if (!/^[\w+/-]{43}=?$/.test(value)) throw new Error('expected 32 bytes in base64 (openssl rand -base64 32)');
  return Buffer.from(value, 'base64');
};

/** An API key of this platform chosen by the operator. The error does not repeat it. */
export const chosenKey: Parser<string> = (value) => {
  const fault = chosenKeyFault(value);
  if (fault !== undefined) throw new Error(fault);
  return value;
};
