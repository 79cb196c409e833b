import type { RefusedSpan } from '@app/traces';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Number of refused spans that the message names. */
const NAMED_SPANS = 5;

/** The two forms of the protocol over HTTP. */
export const OTLP_TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' } as const;
export type OtlpType = (typeof OTLP_TYPES)[keyof typeof OTLP_TYPES];

/** Returns the `ExportTraceServiceResponse`: empty, or with the number of refused spans and the reasons. */
export function exportResponse(type: OtlpType, refused: readonly RefusedSpan[]): Uint8Array {
  const message = messageOf(refused);
  if (type === OTLP_TYPES.protobuf) {
    if (refused.length === 0) return new Uint8Array();
    const partial = new BinaryWriter();
    partial.tag(1, WireType.Varint).int64(refused.length).tag(2, WireType.LengthDelimited).string(message);
    return new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(partial.finish()).finish();
  }
  const partialSuccess = { rejectedSpans: String(refused.length), errorMessage: message };
  return Buffer.from(JSON.stringify(refused.length === 0 ? {} : { partialSuccess }));
}

function messageOf(refused: readonly RefusedSpan[]): string {
  const named = refused.slice(0, NAMED_SPANS).map(({ index, reason }) => `span ${index} was refused: ${reason}`);
  const more = refused.length > NAMED_SPANS ? [`and ${refused.length - NAMED_SPANS} more`] : [];
  return [...named, ...more].join('; ');
}

/** Returns a `google.rpc.Status`, the body of errors in the form of Protocol Buffers. */
export function statusMessage(code: number, message: string): Uint8Array {
  return new BinaryWriter()
    .tag(1, WireType.Varint)
    .int32(code)
    .tag(2, WireType.LengthDelimited)
    .string(message)
    .finish();
}
