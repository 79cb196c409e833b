import { fromBigInt } from '../values/decimal.js';
import { RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { derChildren, DerError, derTime, objectId, readDer } from './der.js';
import type { DerNode } from './der.js';
import { decodeBase64 } from './encoding.js';
import { pemBlocks } from './pem.js';
import { BuiltinError } from './types.js';

/**
 * Returns the DER data of the PEM blocks in a text, all of which must have the given type. `text` can also be the
 * base64 of PEM or DER data.
 */
export function derBlocks(text: string, type: string, otherType: (found: string) => BuiltinError): Buffer[] {
  const isPem = text.startsWith('-----BEGIN');
  const data = isPem ? Buffer.from(text) : decodeBase64(text, 'std', true);
  const source = data.toString('latin1');
  if (!source.startsWith('-----BEGIN')) return [data];
  return pemBlocks(source).map((block) => {
    if (block.type !== type) throw otherType(block.type);
    return block.der;
  });
}

/** Attributes of names that become fields with a single text, and those that become fields with a list. */
const SINGLE: Readonly<Record<string, string>> = { '2.5.4.3': 'CommonName', '2.5.4.5': 'SerialNumber' };
const LISTED: Readonly<Record<string, string>> = {
  '2.5.4.6': 'Country',
  '2.5.4.7': 'Locality',
  '2.5.4.8': 'Province',
  '2.5.4.9': 'StreetAddress',
  '2.5.4.10': 'Organization',
  '2.5.4.11': 'OrganizationalUnit',
  '2.5.4.17': 'PostalCode',
};

function distinguishedName(node: DerNode): Value {
  const single = new Map<string, string>(Object.values(SINGLE).map((name) => [name, '']));
  const lists = new Map<string, string[]>();
  const names: Value[] = [];
  for (const set of derChildren(node.body)) {
    for (const attribute of derChildren(set.body)) {
      const [type, value] = derChildren(attribute.body);
      if (type === undefined || value === undefined) throw new DerError('structure error: invalid name');
      const id = objectId(type.body);
      const text =
        value.tag === 0x1e ? Buffer.from(value.body).swap16().toString('utf16le') : value.body.toString('utf8');
      names.push(
        new RegoObject([
          ['Type', id.split('.').map(Number)],
          ['Value', text],
        ]),
      );
      const list = LISTED[id];
      if (SINGLE[id] !== undefined) single.set(SINGLE[id], text);
      if (list !== undefined) lists.set(list, [...(lists.get(list) ?? []), text]);
    }
  }
  const listed = Object.values(LISTED).map((name): [Value, Value] => [name, lists.get(name) ?? null]);
  return new RegoObject([...single, ...listed, ['Names', names], ['ExtraNames', null]]);
}

interface AlternativeNames {
  readonly dns: string[];
  readonly emails: string[];
  readonly addresses: string[];
  readonly uris: string[];
}

const ALTERNATIVE_NAMES = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';

function extensions(list: DerNode | undefined): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const extension of list === undefined ? [] : derChildren(list.body)) {
    const parts = derChildren(extension.body);
    const [id] = parts;
    const value = parts[parts.length - 1];
    if (id !== undefined && value !== undefined) found.set(objectId(id.body), value.body);
  }
  return found;
}

function alternativeNames(data: Buffer | undefined): AlternativeNames {
  const names: AlternativeNames = { dns: [], emails: [], addresses: [], uris: [] };
  for (const { tag, body } of data === undefined ? [] : derChildren(readDer(data).body)) {
    if (tag === 0x81) names.emails.push(body.toString('latin1'));
    if (tag === 0x82) names.dns.push(body.toString('latin1'));
    if (tag === 0x86) names.uris.push(body.toString('latin1'));
    if (tag === 0x87)
      names.addresses.push(
        body.length === 4 ? [...body].join('.') : (body.toString('hex').match(/.{4}/g) ?? []).join(':'),
      );
  }
  return names;
}

function listOrNull(items: readonly string[]): Value {
  return items.length === 0 ? null : items;
}

function nameMembers(names: AlternativeNames): [Value, Value][] {
  return [
    ['DNSNames', listOrNull(names.dns)],
    ['EmailAddresses', listOrNull(names.emails)],
    ['IPAddresses', listOrNull(names.addresses)],
    ['URIStrings', listOrNull(names.uris)],
  ];
}

function isAuthority(constraints: Buffer | undefined): boolean {
  if (constraints === undefined) return false;
  const [flag] = derChildren(readDer(constraints).body);
  return flag?.tag === 0x01 && flag.body[0] !== 0;
}

function bigInteger(body: Buffer): bigint {
  return body.length === 0 ? 0n : BigInt.asIntN(body.length * 8, BigInt(`0x${body.toString('hex')}`));
}

/** Returns a certificate as policies see it: names, dates, serial number, raw data. */
export function certificateValue(der: Buffer): Value {
  try {
    const certificate = readDer(der);
    const signed = readDer(certificate.body);
    const parts = derChildren(signed.body);
    const version =
      parts[0]?.tag === 0xa0 ? Number(bigInteger(readDer(parts.shift()?.body ?? Buffer.alloc(0)).body)) + 1 : 1;
    const [serial, , issuer, validity, subject, key, ...rest] = parts;
    const [from, to] = validity === undefined ? [] : derChildren(validity.body);
    if (
      serial === undefined ||
      issuer === undefined ||
      subject === undefined ||
      key === undefined ||
      from === undefined ||
      to === undefined
    ) {
      throw new DerError('structure error');
    }
    const wrapper = rest.find((node) => node.tag === 0xa3);
    const found = extensions(wrapper === undefined ? undefined : readDer(wrapper.body));
    return new RegoObject([
      ['Version', version],
      ['SerialNumber', fromBigInt(bigInteger(serial.body))],
      ['Subject', distinguishedName(subject)],
      ['Issuer', distinguishedName(issuer)],
      ['NotBefore', derTime(from)],
      ['NotAfter', derTime(to)],
      ['IsCA', isAuthority(found.get(BASIC_CONSTRAINTS))],
      ...nameMembers(alternativeNames(found.get(ALTERNATIVE_NAMES))),
      ['Raw', certificate.whole.toString('base64')],
      ['RawTBSCertificate', signed.whole.toString('base64')],
      ['RawSubjectPublicKeyInfo', key.whole.toString('base64')],
      ['RawSubject', subject.whole.toString('base64')],
      ['RawIssuer', issuer.whole.toString('base64')],
    ]);
  } catch (error) {
    if (error instanceof DerError || error instanceof RangeError) throw new BuiltinError('x509: malformed certificate');
    throw error;
  }
}

/** The attribute of a certificate request that contains the requested extensions. */
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

export function requestValue(der: Buffer): Value {
  try {
    const [, subject, key, attributes] = derChildren(readDer(readDer(der).body).body);
    if (subject === undefined || key === undefined) throw new DerError('structure error');
    let requested: DerNode | undefined;
    for (const attribute of attributes === undefined ? [] : derChildren(attributes.body)) {
      const [id, values] = derChildren(attribute.body);
      if (id !== undefined && values !== undefined && objectId(id.body) === EXTENSION_REQUEST)
        requested = readDer(values.body);
    }
    return new RegoObject([
      ['Subject', distinguishedName(subject)],
      ...nameMembers(alternativeNames(extensions(requested).get(ALTERNATIVE_NAMES))),
      ['Raw', der.toString('base64')],
      ['RawSubject', subject.whole.toString('base64')],
      ['RawSubjectPublicKeyInfo', key.whole.toString('base64')],
    ]);
  } catch (error) {
    if (error instanceof DerError || error instanceof RangeError)
      throw new BuiltinError('asn1: structure error: tags do not match');
    throw error;
  }
}

export function certificateBlocks(text: string): Buffer[] {
  const blocks = derBlocks(
    text,
    'CERTIFICATE',
    (found) => new BuiltinError(`PEM block type is '${found}', expected CERTIFICATE`),
  );
  // DER data can contain several consecutive certificates.
  return blocks.flatMap((block) => {
    try {
      return derChildren(block).map((node) => node.whole);
    } catch {
      throw new BuiltinError('x509: malformed certificate');
    }
  });
}
