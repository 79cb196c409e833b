/** One element of DER data. */
export interface DerNode {
  readonly tag: number;
  /** The element with its header. `body` has only its contents. */
  readonly whole: Buffer;
  readonly body: Buffer;
}

export class DerError extends Error {}

export function readDer(data: Buffer): DerNode {
  const first = data[1];
  if (data.length < 2 || first === undefined) throw new DerError('syntax error: data truncated');
  let length = first;
  let header = 2;
  if (first & 0x80) {
    const bytes = first & 0x7f;
    if (bytes === 0 || bytes > 4 || data.length < 2 + bytes) throw new DerError('syntax error: invalid length');
    length = data.readUIntBE(2, bytes);
    header += bytes;
  }
  if (data.length < header + length) throw new DerError('syntax error: data truncated');
  return { tag: data[0] ?? 0, whole: data.subarray(0, header + length), body: data.subarray(header, header + length) };
}

/** Returns consecutive elements. */
export function derChildren(data: Buffer): DerNode[] {
  const nodes: DerNode[] = [];
  for (let at = 0; at < data.length;) {
    const node = readDer(data.subarray(at));
    nodes.push(node);
    at += node.whole.length;
  }
  return nodes;
}

/** Returns the dotted text of an object identifier. */
export function objectId(body: Buffer): string {
  const parts: number[] = [];
  let value = 0;
  for (const byte of body) {
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (parts.length === 0)
      parts.push(Math.min(2, Math.floor(value / 40)), value - 40 * Math.min(2, Math.floor(value / 40)));
    else parts.push(value);
    value = 0;
  }
  return parts.join('.');
}

/** Returns a UTCTime or GeneralizedTime as RFC 3339. */
export function derTime({ tag, body }: DerNode): string {
  const text = body.toString('latin1');
  const full = tag === 0x17 ? `${Number(text.slice(0, 2)) >= 50 ? '19' : '20'}${text}` : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?/.exec(full);
  if (match === null) throw new DerError('structure error: invalid time');
  return `${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6] ?? '00'}Z`;
}
