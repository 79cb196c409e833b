import type { Run } from '../evaluate/run.js';
import { compareStrings } from '../values/compare.js';
import { fromPlain, toPlain } from '../values/convert.js';
import { JsonSyntaxError, parseJson } from '../values/json.js';
import { goQuote, indentedJson, jsonText, valueText } from '../values/text.js';
import { parseYaml, YamlSyntaxError, yamlText } from '../values/yaml.js';
import { isArray, RegoObject, RegoSet, typeName } from '../values/value.js';
import type { Value } from '../values/value.js';
import { objectOperand, stringOperand, typeError } from './operands.js';
import { encodeQuery } from './query-text.js';
import { allocateText } from './strings.js';
import { BuiltinError } from './types.js';
import type { Builtin, BuiltinTable } from './types.js';

function textBuiltin(operate: (text: string) => Value): Builtin {
  return {
    arity: 1,
    call: (args, run) => {
      const text = stringOperand(args, 1);
      allocateText(run, text.length * 2);
      return operate(text);
    },
  };
}

/** Decodes strict base64. The error message contains the position of the first invalid byte. */
export function decodeBase64(text: string, alphabet: 'std' | 'url', padded: boolean): Buffer {
  const valid = alphabet === 'std' ? /^[A-Za-z0-9+/]*/ : /^[A-Za-z0-9_-]*/;
  const clean = text.replace(/[\r\n]/g, '');
  const body = valid.exec(clean)?.[0] ?? '';
  const padding = clean.slice(body.length);
  const wanted = padded ? '='.repeat((4 - (body.length % 4)) % 4) : '';
  if (body.length % 4 === 1 || padding !== wanted) {
    throw new BuiltinError(
      `illegal base64 data at input byte ${padding === '' ? body.length - (body.length % 4) : body.length}`,
    );
  }
  return Buffer.from(body, alphabet === 'std' ? 'base64' : 'base64url');
}

/** Decodes base64 with the URL alphabet. The padding is optional. */
export function decodeBase64Url(text: string): Buffer {
  if (text.endsWith('=')) return decodeBase64(text, 'url', true);
  if (Buffer.byteLength(text) % 4 === 1) throw new BuiltinError(`illegal base64url string: ${text}`);
  return decodeBase64(text, 'url', false);
}

function isBase64(text: Value): boolean {
  try {
    if (typeof text === 'string') decodeBase64(text, 'std', true);
    return typeof text === 'string';
  } catch {
    return false;
  }
}

function decodeHex(text: string): string {
  const bad = /[^0-9a-fA-F]/.exec(text);
  if (bad !== null)
    throw new BuiltinError(
      `encoding/hex: invalid byte: U+00${(bad[0].codePointAt(0) ?? 0).toString(16).toUpperCase()} '${bad[0]}'`,
    );
  if (text.length % 2 === 1) throw new BuiltinError('encoding/hex: odd length hex string');
  return Buffer.from(text, 'hex').toString('utf8');
}

function decodeQuery(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text);
    if (bad !== null) throw new BuiltinError(`invalid URL escape ${goQuote(bad[0])}`);
    return Buffer.from(
      text
        .replaceAll('+', ' ')
        .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    ).toString('utf8');
  }
}

function encodeObject(args: readonly Value[]): Value {
  const pairs: [string, string][] = [];
  for (const [key, value] of objectOperand(args, 1).entries()) {
    const values = isArray(value) ? value : value instanceof RegoSet ? value.items() : [value];
    for (const item of values) {
      if (typeof item !== 'string') throw typeError('operand 1 values must be string, array[string], or set[string]');
      pairs.push([typeof key === 'string' ? key : jsonText(key, true), item]);
    }
  }
  return pairs
    .sort(([a], [b]) => compareStrings(a, b))
    .map((pair) => pair.map(encodeQuery).join('='))
    .join('&');
}

function decodeObject(text: string): Value {
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    if (pair.includes(';')) throw new BuiltinError('invalid semicolon separator in query');
    const equals = pair.indexOf('=');
    const key = decodeQuery(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decodeQuery(pair.slice(equals + 1));
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return new RegoObject([...values]);
}

function marshal(args: readonly Value[], run: Run): Value {
  const text = jsonText(args[0] as Value, true);
  allocateText(run, text.length);
  return text;
}

interface MarshalOptions {
  readonly prefix?: string;
  readonly indent?: string;
  readonly pretty?: boolean;
}

function checkOption(options: RegoObject, key: Value, at: number): void {
  const value = options.get(key) as Value;
  const wrong = (item: Value): string => `operand ${at} must be string but got ${typeName(item)}`;
  if (typeof key !== 'string')
    throw typeError(`operand 2 failed to stringify key ${valueText(key)} at index ${at}: ${wrong(key)}`);
  if (key === 'pretty') {
    if (typeof value !== 'boolean') throw typeError('operand 2 key "pretty" failed cast to bool');
  } else if (key !== 'indent' && key !== 'prefix') {
    throw typeError(`operand 2 object contained unknown key ${goQuote(key)}`);
  } else if (typeof value !== 'string') {
    throw typeError(`operand 2 key "${key}" failed cast to string: ${wrong(value)}`);
  }
}

function marshalWithOptions(args: readonly Value[], run: Run): Value {
  const options = objectOperand(args, 2);
  options.keys().forEach((key, at) => checkOption(options, key, at));
  const { prefix = '', indent = '\t', pretty = options.size > 0 } = toPlain(options) as MarshalOptions;
  if (!pretty) return marshal(args, run);
  if (prefix.length + indent.length > 100) throw new BuiltinError('prefix and indent are too long');
  const text = prefix + indentedJson(args[0] as Value, prefix, indent);
  allocateText(run, text.length);
  return text;
}

/** Writing a value, or reading a character, takes up to about as long as this number of steps. */
const YAML_STEPS = 20;

/** Charges time and memory before reading: the YAML reader needs several times the size of the text. */
function readYaml(text: string, run: Run): Value {
  run.meter.allocate(text.length * 300);
  run.meter.work(text.length * YAML_STEPS);
  try {
    return fromPlain(parseYaml(text));
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    const expected = /[[{]/.test(text) ? "',' or ']'" : 'node content';
    throw new BuiltinError(`yaml: line ${error.line}: did not find expected ${expected}`);
  }
}

function writeYaml(args: readonly Value[], run: Run): Value {
  const text = yamlText(args[0] as Value, (values) => run.meter.work(values * YAML_STEPS));
  if (text === undefined) throw new BuiltinError('yaml: nested too deeply');
  allocateText(run, text.length);
  return text;
}

function isValid(read: (text: string, run: Run) => Value): Builtin {
  return {
    arity: 1,
    call: ([text], run) => {
      if (typeof text !== 'string') return false;
      allocateText(run, text.length * 2);
      try {
        read(text, run);
        return true;
      } catch (error) {
        if (error instanceof BuiltinError || error instanceof JsonSyntaxError) return false;
        throw error;
      }
    },
  };
}

export const encodingBuiltins: BuiltinTable = {
  'base64.encode': textBuiltin((text) => Buffer.from(text, 'utf8').toString('base64')),
  'base64.decode': textBuiltin((text) => decodeBase64(text, 'std', true).toString('utf8')),
  'base64.is_valid': { arity: 1, call: ([text]) => isBase64(text as Value) },
  'base64url.encode': textBuiltin((text) =>
    Buffer.from(text, 'utf8').toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  ),
  'base64url.encode_no_pad': textBuiltin((text) => Buffer.from(text, 'utf8').toString('base64url')),
  'base64url.decode': textBuiltin((text) => decodeBase64Url(text).toString('utf8')),
  'hex.encode': textBuiltin((text) => Buffer.from(text, 'utf8').toString('hex')),
  'hex.decode': textBuiltin(decodeHex),
  'urlquery.encode': textBuiltin(encodeQuery),
  'urlquery.decode': textBuiltin(decodeQuery),
  'urlquery.encode_object': { arity: 1, call: encodeObject },
  'urlquery.decode_object': textBuiltin(decodeObject),
  'json.marshal': { arity: 1, call: marshal },
  'json.marshal_with_options': { arity: 2, call: marshalWithOptions },
  'json.unmarshal': textBuiltin(parseJson),
  'json.is_valid': isValid(parseJson),
  'yaml.marshal': { arity: 1, call: writeYaml },
  'yaml.unmarshal': { arity: 1, call: (args, run) => readYaml(stringOperand(args, 1), run) },
  'yaml.is_valid': isValid(readYaml),
};
