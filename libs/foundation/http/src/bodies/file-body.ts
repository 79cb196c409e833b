import type { ServerResponse } from 'node:http';
import type { Scope } from '@app/kernel';
import { applyDecorators, createParamDecorator, HttpCode, StreamableFile, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProduces, ApiResponse } from '@nestjs/swagger';
import { fileBudgetOf, largeResponseBudgetOf } from './body-bounds.js';
import type { Budget } from './byte-budget.js';
import { InvalidRequest } from '../errors/invalid-request.js';
import { onResponseClosed } from '../wire/on-response-closed.js';
import type { WireRequest } from '../wire/wire-request.js';
import { RawBody } from './body.interceptor.js';
import { describedMethod } from '../routes/described-method.js';

/** The body of a request as it was sent. */
export interface SentFile {
  readonly content: Uint8Array;
  readonly contentType: string;
}

const UNKNOWN_TYPE = 'application/octet-stream';
const MAX_TYPE_LENGTH = 255;
/** A media type with parameters, in printable ASCII (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^[\w!#$&^.+*'`|~%-]+\/[\w!#$&^.+*'`|~%-]+(?:\s*;[ -~]*)?$/;
/** Any media type. In OpenAPI 3.1, the empty schema means arbitrary bytes. */
const ANY_TYPE = '*/*';

const fileBody = createParamDecorator((_data: unknown, context: ExecutionContext): SentFile => {
  const { headers, rawBody = new Uint8Array() } = context.switchToHttp().getRequest<WireRequest>();
  const contentType = headers['content-type'] ?? UNKNOWN_TYPE;
  if (contentType.length <= MAX_TYPE_LENGTH && MEDIA_TYPE.test(contentType)) return { content: rawBody, contentType };
  const msg = `Input should be a media type of at most ${MAX_TYPE_LENGTH} characters`;
  throw new InvalidRequest([{ loc: ['header', 'content-type'], msg, type: 'string_pattern_mismatch' }]);
});

/** Injects the body of the request unparsed, with its media type. */
export const FileBody = (): ParameterDecorator => (target, method, index) => {
  fileBody()(target, method, index);
  const described = describedMethod(target, method);
  RawBody()(target, ...described);
  ApiConsumes(ANY_TYPE)(target, ...described);
  ApiBody({ schema: {}, description: 'Content of the file', required: false })(target, ...described);
};

/** The route returns the bytes of a file, see `sendFile`. */
export function ReturnsFile(): MethodDecorator {
  return applyDecorators(
    HttpCode(200),
    ApiProduces(ANY_TYPE),
    ApiResponse({ status: 200, description: 'Content of the file', content: { [ANY_TYPE]: { schema: {} } } }),
  );
}

/**
 * Reserves the bytes of a file until the response has ended. Must be called before the file is read: otherwise slow
 * clients, or many concurrent ones, would determine how much memory the process uses. Throws `server_busy` if the
 * organization or the process sends too many bytes at once.
 */
export function reserveFile(response: ServerResponse, scope: Scope, bytes: number): void {
  reserveUntilClosed(response, fileBudgetOf(scope), bytes);
}

/** Like `reserveFile`, for a large response that is composed in memory. */
export function reserveLargeResponse(response: ServerResponse, scope: Scope, bytes: number): void {
  reserveUntilClosed(response, largeResponseBudgetOf(scope), bytes);
}

function reserveUntilClosed(response: ServerResponse, budget: Budget, bytes: number): void {
  budget.reserve(bytes);
  onResponseClosed(response, () => budget.release(bytes));
}

/**
 * Returns a file for download. Its content is not trusted: browsers must neither show it in the origin of this server
 * nor guess its type.
 */
export function sendFile(response: ServerResponse, file: SentFile & { readonly name: string }): StreamableFile {
  const { name, content, contentType } = file;
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  const last = encodeURIComponent(name.split('/').at(-1) ?? name).replace(/['()*]/g, percentEncoded);
  const disposition = `attachment; filename*=UTF-8''${last}`;
  return new StreamableFile(content, { type: contentType, disposition, length: content.byteLength });
}

/** Percent-encodes a character that RFC 8187 does not allow and `encodeURIComponent` does not encode. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
