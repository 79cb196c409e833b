import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '@app/http';
import { OTLP_TYPES, type OtlpType } from './otlp-answer.js';

/** Media types without parameters. The second one is of senders that follow the name in the registry of IANA. */
const PROTOBUF_TYPES: readonly string[] = [OTLP_TYPES.protobuf, 'application/protobuf'];

function mediaTypeOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
}

export function isProtobuf(request: Pick<IncomingMessage, 'headers'>): boolean {
  return PROTOBUF_TYPES.includes(mediaTypeOf(request));
}

/** Returns the form of an export request. Throws for other media types. */
export function otlpTypeOf(request: Pick<IncomingMessage, 'headers'>): OtlpType {
  if (isProtobuf(request)) return OTLP_TYPES.protobuf;
  if (mediaTypeOf(request) === OTLP_TYPES.json) return OTLP_TYPES.json;
  const msg = `Send the body as Content-Type: ${OTLP_TYPES.protobuf} or ${OTLP_TYPES.json}`;
  throw new HttpProblem('unsupported_media_type', msg);
}
