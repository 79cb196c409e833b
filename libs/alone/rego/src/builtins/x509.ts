import { X509Certificate } from 'node:crypto';
import { RegoBudgetError } from '../errors.js';
import type { Run } from '../evaluate/run.js';
import { isInteger, toBigInt } from '../values/decimal.js';
import { EMPTY_OBJECT, isArray, isNumeric, RegoObject, RegoSet } from '../values/value.js';
import type { Value } from '../values/value.js';
import { certificateBlocks, certificateValue, derBlocks, requestValue } from './certificates.js';
import { objectOperand, stringOperand } from './operands.js';
import { firstKey, keyNumbers, privateKeys, webKey } from './private-keys.js';
import { allocateText } from './strings.js';
import { BuiltinError } from './types.js';
import type { Builtin, BuiltinTable } from './types.js';
import { ANY_USAGE, findChain, type ChainRules } from './x509-chain.js';

const SERVER_USAGE = '1.3.6.1.5.5.7.3.1';

/**
 * Returns the pair of true and the chain, which begins with the leaf, or the pair of false and an empty list if the
 * certificates cannot be read or do not form a chain.
 */
function verified(text: string, options: RegoObject, run: Run): Value {
  const nothing: Value = [false, []];
  let ders: Buffer[];
  try {
    ders = certificateBlocks(text);
  } catch (error) {
    if (error instanceof BuiltinError) return nothing;
    throw error;
  }
  const rules = chainRules(options);
  const wanted: ChainRules = { now: Number(run.now / 1_000_000n), host: '', usages: [SERVER_USAGE], ...rules };
  try {
    const chain = ders.length < 2 ? undefined : findChain(ders, wanted, run.meter);
    return chain === undefined ? nothing : [true, chain.map(certificateValue)];
  } catch (error) {
    if (error instanceof RegoBudgetError) throw error;
    return nothing;
  }
}

function keyPair(args: readonly Value[]): Value {
  const [certificates, privateKey] = args.map((arg) => stringOperand([arg], 1)) as [string, string];
  const ders = certificateBlocks(certificates);
  const key = firstKey(privateKey);
  const [leaf] = ders;
  if (leaf === undefined || !new X509Certificate(leaf).checkPrivateKey(key)) {
    throw new BuiltinError('tls: private key does not match public key');
  }
  return new RegoObject([
    ['Certificate', ders.map((der) => der.toString('base64'))],
    ['PrivateKey', keyNumbers(key)],
    ['Leaf', certificateValue(leaf)],
    ['OCSPStaple', null],
    ['SignedCertificateTimestamps', null],
    ['SupportedSignatureAlgorithms', null],
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
  const invalid = (): BuiltinError => new BuiltinError('invalid PEM-encoded certificate signing request');
  const [block] = derBlocks(text, 'CERTIFICATE REQUEST', invalid);
  if (block === undefined) throw invalid();
  return requestValue(block);
}

/** Object ids of extended key usages by their names in options. */
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
  if (!isArray(value) && !(value instanceof RegoSet)) throw new BuiltinError("'KeyUsages' should be an Array or Set");
  const names = (isArray(value) ? value : value.items()).filter((item) => typeof item === 'string');
  const unknown = names.filter((name) => !Object.hasOwn(USAGES, name));
  if (unknown.length > 0) throw new BuiltinError(`invalid entries for 'KeyUsages' found: [${unknown.join(' ')}]`);
  return names.length === 0 ? [SERVER_USAGE] : names.map((name) => USAGES[name] ?? '');
}

function chainRules(options: RegoObject): Partial<ChainRules> {
  let rules: Partial<ChainRules> = {};
  for (const [key, value] of options.entries()) {
    if (key === 'DNSName') {
      if (typeof value !== 'string') throw new BuiltinError("'DNSName' should be a string");
      rules = { ...rules, host: value };
    } else if (key === 'CurrentTime') {
      if (!isNumeric(value)) throw new BuiltinError("'CurrentTime' should be a number");
      const nanoseconds = isInteger(value) ? toBigInt(value) : undefined;
      if (nanoseconds === undefined || BigInt.asIntN(64, nanoseconds) !== nanoseconds)
        throw new BuiltinError("'CurrentTime' should be a valid int64 number");
      rules = { ...rules, now: Number(nanoseconds / 1_000_000n) };
    } else if (key === 'KeyUsages') {
      rules = { ...rules, usages: usagesOf(value) };
    } else if (key === 'MaxConstraintComparisons') {
      if (!isNumeric(value)) throw new BuiltinError("'MaxConstraintComparisons' should be a number");
      if (!isInteger(value)) throw new BuiltinError("'MaxConstraintComparisons' should be a valid number");
    } else if (typeof key === 'string') {
      throw new BuiltinError('invalid key option');
    }
  }
  return rules;
}

function verifyWithOptions(args: readonly Value[], run: Run): Value {
  const text = stringOperand(args, 1);
  allocateText(run, text.length * 4);
  return verified(text, objectOperand(args, 2), run);
}

export const x509Builtins: BuiltinTable = {
  'crypto.x509.parse_certificates': ofText((text) => certificateBlocks(text).map(certificateValue)),
  'crypto.x509.parse_and_verify_certificates': ofText((text, run) => verified(text, EMPTY_OBJECT, run)),
  'crypto.x509.parse_and_verify_certificates_with_options': { arity: 2, call: verifyWithOptions },
  'crypto.x509.parse_certificate_request': ofText(parseRequest),
  'crypto.x509.parse_rsa_private_key': ofText(webKey),
  'crypto.x509.parse_keypair': { arity: 2, call: keyPair },
  'crypto.parse_private_keys': ofText(privateKeys),
};
