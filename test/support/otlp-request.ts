import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** A value of an attribute in the JSON form of OTLP. */
export interface OtlpValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  /** Base64. */
  readonly bytesValue?: string;
  readonly arrayValue?: { readonly values?: readonly OtlpValue[] };
  readonly kvlistValue?: { readonly values?: readonly OtlpAttribute[] };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value?: OtlpValue;
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: string;
  readonly endTimeUnixNano?: string;
  readonly attributes?: readonly OtlpAttribute[];
  readonly droppedAttributesCount?: number;
  readonly events?: readonly {
    readonly name?: string;
    readonly timeUnixNano?: string;
    readonly attributes?: readonly OtlpAttribute[];
  }[];
  readonly links?: readonly {
    readonly traceId: string;
    readonly spanId: string;
    readonly attributes?: readonly OtlpAttribute[];
  }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

export interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly scope?: { readonly name?: string; readonly version?: string };
      readonly spans: readonly OtlpSpan[];
    }[];
  }[];
}

/** Returns a request with the spans of one service. */
export function otlpRequest(spans: readonly OtlpSpan[], service = 'shop'): OtlpRequest {
  const attributes = [{ key: 'service.name', value: { stringValue: service } }];
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
}

/** Encodes a request in the form of Protocol Buffers, as an exporter does. */
export function encodeOtlp(request: OtlpRequest): Uint8Array {
  return message((out) => {
    for (const { resource, scopeSpans } of request.resourceSpans) {
      part(out, 1, (all) => {
        if (resource !== undefined) part(all, 1, (one) => attributes(one, 1, resource.attributes));
        for (const { scope, spans } of scopeSpans) {
          part(all, 2, (one) => {
            if (scope !== undefined) {
              part(one, 1, (named) => {
                text(named, 1, scope.name);
                text(named, 2, scope.version);
              });
            }
            for (const span of spans) part(one, 2, (fields) => encodeSpan(fields, span));
          });
        }
      });
    }
  });
}

function encodeSpan(out: BinaryWriter, span: OtlpSpan): void {
  hexadecimal(out, 1, span.traceId);
  hexadecimal(out, 2, span.spanId);
  text(out, 3, span.traceState);
  hexadecimal(out, 4, span.parentSpanId);
  text(out, 5, span.name);
  integer(out, 6, span.kind);
  time(out, 7, span.startTimeUnixNano);
  time(out, 8, span.endTimeUnixNano);
  attributes(out, 9, span.attributes);
  integer(out, 10, span.droppedAttributesCount);
  for (const event of span.events ?? []) {
    part(out, 11, (fields) => {
      time(fields, 1, event.timeUnixNano);
      text(fields, 2, event.name);
      attributes(fields, 3, event.attributes);
    });
  }
  for (const link of span.links ?? []) {
    part(out, 13, (fields) => {
      hexadecimal(fields, 1, link.traceId);
      hexadecimal(fields, 2, link.spanId);
      attributes(fields, 4, link.attributes);
    });
  }
  const { status } = span;
  if (status !== undefined) {
    part(out, 15, (fields) => {
      text(fields, 2, status.message);
      integer(fields, 3, status.code);
    });
  }
}

function attributes(out: BinaryWriter, field: number, all: readonly OtlpAttribute[] = []): void {
  for (const { key, value } of all) {
    part(out, field, (fields) => {
      text(fields, 1, key);
      if (value !== undefined) part(fields, 2, (any) => encodeValue(any, value));
    });
  }
}

function encodeValue(out: BinaryWriter, value: OtlpValue): void {
  if (value.stringValue !== undefined) out.tag(1, WireType.LengthDelimited).string(value.stringValue);
  if (value.boolValue !== undefined) out.tag(2, WireType.Varint).bool(value.boolValue);
  if (value.intValue !== undefined) out.tag(3, WireType.Varint).int64(value.intValue);
  if (value.doubleValue !== undefined) out.tag(4, WireType.Bit64).double(value.doubleValue);
  const { arrayValue, kvlistValue, bytesValue } = value;
  if (arrayValue !== undefined) {
    part(out, 5, (list) => {
      for (const item of arrayValue.values ?? []) part(list, 1, (any) => encodeValue(any, item));
    });
  }
  if (kvlistValue !== undefined) part(out, 6, (map) => attributes(map, 1, kvlistValue.values));
  if (bytesValue !== undefined) out.tag(7, WireType.LengthDelimited).bytes(Buffer.from(bytesValue, 'base64'));
}

function message(write: (out: BinaryWriter) => void): Uint8Array {
  const out = new BinaryWriter();
  write(out);
  return out.finish();
}

function part(out: BinaryWriter, field: number, write: (out: BinaryWriter) => void): void {
  out.tag(field, WireType.LengthDelimited).bytes(message(write));
}

function text(out: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined) out.tag(field, WireType.LengthDelimited).string(value);
}

function hexadecimal(out: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined) out.tag(field, WireType.LengthDelimited).bytes(Buffer.from(value, 'hex'));
}

/** Counts are unsigned, enumerations can be negative: both have the same form, unless they are. */
function integer(out: BinaryWriter, field: number, value: number | undefined): void {
  if (value !== undefined) out.tag(field, WireType.Varint).int64(value);
}

function time(out: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined) out.tag(field, WireType.Bit64).fixed64(value);
}
