import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** A field that a decoder knows: its form on the wire, and what reads its value. */
export type Field = readonly [WireType, (reader: BinaryReader) => void];

const { LengthDelimited, Varint, Bit64 } = WireType;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads a message, field by field. Unknown fields are skipped. Throws if the bytes are not a message. */
export function readMessage(bytes: Uint8Array, fields: Readonly<Record<number, Field>>): void {
  const reader = new BinaryReader(bytes, (text) => decoder.decode(text));
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const field = fields[number];
    if (field === undefined) {
      reader.skip(wireType, number);
      continue;
    }
    if (field[0] !== wireType) throw new Error(`field ${number} has the wire type ${wireType} instead of ${field[0]}`);
    field[1](reader);
  }
}

export const bytesField = (read: (bytes: Uint8Array) => void): Field => [
  LengthDelimited,
  (reader) => read(reader.bytes()),
];
export const stringField = (read: (text: string) => void): Field => [
  LengthDelimited,
  (reader) => read(reader.string()),
];
/** For the lengths of lists that were truncated, and enumerations. */
export const integerField = (read: (value: number) => void): Field => [Varint, (reader) => read(reader.uint32())];
export const int64Field = (read: (value: bigint) => void): Field => [Varint, (reader) => read(BigInt(reader.int64()))];
export const boolField = (read: (value: boolean) => void): Field => [Varint, (reader) => read(reader.bool())];
export const fixed64Field = (read: (value: bigint) => void): Field => [
  Bit64,
  (reader) => read(BigInt(reader.fixed64())),
];
export const doubleField = (read: (value: number) => void): Field => [Bit64, (reader) => read(reader.double())];
