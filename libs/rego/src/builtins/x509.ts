import { X509Certificate } from 'node:crypto';
import { RegoBudgetError } from '../errors.js';
import type { Run } from '../evaluate/run.js';
import { isInteger, toBigInt } from '../values/decimal.js';
import { isArray, isNumeric, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { certificateBlocks, certificateValue, derBlocks, requestValue } from './certificates.js';
import { objectOperand, stringOperand, typeError } from './operands.js';
import { firstKey, keyNumbers, privateKeys, webKey } from './private-keys.js';
import { allocateText } from './strings.js';
import { BuiltinError } from './types.js';
import type { Builtin, BuiltinTable } from './types.js';
import { ANY_USAGE, findChain, type ChainRules } from './x509-chain.js';

const SERVER_USAGE = '1.3.6.1.5.5.7.3.1';

/** The chain from the leaf on, or false with nothing where the certificates cannot be read or make no chain. */
function verified(text: string, rules: Partial<ChainRules>, run: Run): Value {
  const wanted: ChainRules = { now: Number(run.now / 1_000_000n), host: '', usages: [SERVER_USAGE], ...rules };
  try {
    const ders = certificateBlocks(text);
    const chain = ders.length < 2 ? undefined : findChain(ders, wanted, run.meter);
    return chain === undefined ? [false, []] : [true, chain.map(certificateValue)];
  } catch (error) {
    if (error instanceof RegoBudgetError) throw error;
    return [false, []];
  }
}

function keyPair(args: readonly Value[]): Value {
  const ders = certificateBlocks(stringOperand(args, 1));
  const key = firstKey(stringOperand(args, 2));
  const [leaf] = ders;
  if (leaf === undefined || !new X509Certificate(leaf).checkPrivateKey(key)) {
    throw new BuiltinError('tls: private key does not match public key');
  }
  return new RegoObject([
    ['Certificate', ders.map((der) => der.toString('base64'))],
    ['PrivateKey', keyNumbers(key)],
  ]);
}

function ofText(operate: (text: string, run: Run) => Value): Builtin {
  return {
    arity: 1,
    call: (args, run) => {
      const text = stringOperand(args, 1);
      allocateText(run, text.length * 4);
      run.meter.work(100);
      return operate(text, run);
    },
  };
}

function parseRequest(text: string): Value {
  const [block] = derBlocks(text, 'CERTIFICATE REQUEST');
  if (block === undefined) throw new BuiltinError('invalid PEM-encoded certificate signing request');
  return requestValue(block);
}

/** Names that options give to extended key usages. */
const USAGES: Readonly<Record<string, string>> = {
  KeyUsageAny: ANY_USAGE,
  KeyUsageServerAuth: SERVER_USAGE,
  KeyUsageClientAuth: '1.3.6.1.5.5.7.3.2',
  KeyUsageCodeSigning: '1.3.6.1.5.5.7.3.3',
  KeyUsageEmailProtection: '1.3.6.1.5.5.7.3.4',
  KeyUsageIPSECEndSystem: '1.3.6.1.5.5.7.3.5',
  KeyUsageIPSECTunnel: '1.3.6.1.5.5.7.3.6',
  KeyUsageIPSECUser: '1.3.6.1.5.5.7.3.7',
  KeyUsageTimeStamping: '1.3.6.1.5.5.7.3.8',
  KeyUsageOCSPSigning: '1.3.6.1.5.5.7.3.9',
  KeyUsageMicrosoftServerGatedCrypto: '1.3.6.1.4.1.311.10.3.3',
  KeyUsageNetscapeServerGatedCrypto: '2.16.840.1.113730.4.1',
  KeyUsageMicrosoftCommercialCodeSigning: '1.3.6.1.4.1.311.2.1.22',
  KeyUsageMicrosoftKernelCodeSigning: '1.3.6.1.4.1.311.61.1.1',
};

function usagesOf(value: Value): readonly string[] {
  if (!isArray(value) && !(value instanceof RegoSet)) throw typeError("'KeyUsages' should be an Array or Set");
  const names = (isArray(value) ? value : value.items()).filter((item) => typeof item === 'string');
  const unknown = names.filter((name) => !Object.hasOwn(USAGES, name));
  if (unknown.length > 0) throw new BuiltinError(`invalid entries for 'KeyUsages' found: [${unknown.join(' ')}]`);
  return names.length === 0 ? [SERVER_USAGE] : names.map((name) => USAGES[name] ?? '');
}

function chainRules(options: RegoObject): Partial<ChainRules> {
  let rules: Partial<ChainRules> = {};
  for (const [key, value] of options.entries()) {
    if (key === 'DNSName') {
      if (typeof value !== 'string') throw typeError("'DNSName' should be a string");
      rules = { ...rules, host: value };
    } else if (key === 'CurrentTime') {
      const nanoseconds = isNumeric(value) && isInteger(value) ? toBigInt(value) : undefined;
      if (nanoseconds === undefined) throw typeError("'CurrentTime' should be a valid int64 number");
      rules = { ...rules, now: Number(nanoseconds / 1_000_000n) };
    } else if (key === 'KeyUsages') {
      rules = { ...rules, usages: usagesOf(value) };
    } else if (key === 'MaxConstraintComparisons') {
      if (!isNumeric(value)) throw typeError("'MaxConstraintComparisons' should be a number");
    } else if (typeof key === 'string') {
      throw new BuiltinError('invalid key option');
    }
  }
  return rules;
}

function verifyWithOptions(args: readonly Value[], run: Run): Value {
  const text = stringOperand(args, 1);
  allocateText(run, text.length * 4);
  return verified(text, chainRules(objectOperand(args, 2)), run);
}

export const x509Builtins: BuiltinTable = {
  'crypto.x509.parse_certificates': ofText((text) => certificateBlocks(text).map(certificateValue)),
  'crypto.x509.parse_and_verify_certificates': ofText((text, run) => verified(text, {}, run)),
  'crypto.x509.parse_and_verify_certificates_with_options': { arity: 2, call: verifyWithOptions },
  'crypto.x509.parse_certificate_request': ofText(parseRequest),
  'crypto.x509.parse_rsa_private_key': ofText(webKey),
  'crypto.x509.parse_keypair': { arity: 2, call: keyPair },
  'crypto.parse_private_keys': ofText(privateKeys),
};
