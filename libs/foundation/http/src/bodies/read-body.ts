import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Transform } from 'node:stream';
import type { BodyBounds } from './body-bounds.js';
import { HttpProblem } from '../errors/http-problem.js';
import { onResponseClosed } from '../wire/on-response-closed.js';

const INFLATERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/**
 * Returns the bytes of a body, decompressed. Must be called after the request was authorized; the server discards a
 * body that is not read.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: BodyBounds,
): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return Buffer.alloc(0);
  if (request.destroyed) throw endedEarly();
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  const inflater = encoding === 'identity' ? undefined : INFLATERS.get(encoding)?.();
  if (encoding !== 'identity' && inflater === undefined)
    throw new HttpProblem('unsupported_content_encoding', 'Unsupported Content-Encoding');
  const bytes = new HeldBytes(bounds);
  onResponseClosed(response, () => bytes.release());
  try {
    await collect(request, inflater, bytes);
    return bytes.whole();
  } catch (error) {
    bytes.release();
    throw error;
  }
}

/**
 * The bytes of one body, reserved from the budget as they arrive. Accepts no bytes after `release`: a decompressor
 * still emits bytes after the client has disconnected, and these would never be released.
 */
class HeldBytes {
  private chunks: Buffer[] = [];
  private size = 0;
  private paid = 0;
  private released = false;

  constructor(private readonly bounds: BodyBounds) {}

  add(chunk: Buffer): void {
    if (this.released) throw endedEarly();
    this.size += chunk.length;
    const { limit } = this.bounds;
    if (this.size > limit) {
      throw new HttpProblem('payload_too_large', `The body is too large: at most ${limit} bytes, decompressed`);
    }
    this.bounds.budget.reserve(chunk.length);
    this.paid += chunk.length;
    this.chunks.push(chunk);
  }

  whole(): Buffer {
    if (this.released) throw endedEarly();
    const [first] = this.chunks;
    const whole = this.chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.chunks, this.size);
    this.chunks = [];
    return whole;
  }

  release(): void {
    this.released = true;
    this.bounds.budget.release(this.paid);
    this.paid = 0;
    this.chunks = [];
  }
}

/**
 * Resolves at the end of the body. The bytes of a rejected body are released at once, but the promise rejects only at
 * the end of the body, because a client that is still sending would not read the response. The request timeout of the
 * server limits this wait.
 */
function collect(request: IncomingMessage, inflater: Transform | undefined, bytes: HeldBytes): Promise<void> {
  return new Promise((resolve, reject) => {
    let refusal: Error | undefined;
    const refuse = (error: Error): void => {
      if (refusal !== undefined) return;
      refusal = error;
      bytes.release();
      if (inflater !== undefined) request.unpipe(inflater);
      inflater?.destroy();
      request.resume();
      if (request.readableEnded) reject(error);
    };
    const source = inflater ?? request;
    source.on('data', (chunk: Buffer) => {
      if (refusal !== undefined) return;
      try {
        bytes.add(chunk);
      } catch (error) {
        refuse(error as Error);
      }
    });
    inflater?.on('error', () => refuse(new HttpProblem('body_encoding_invalid', 'Bad request')));
    source.on('end', () => (refusal === undefined ? resolve() : reject(refusal)));
    request.on('end', () => refusal !== undefined && reject(refusal));
    request.on('error', () => undefined);
    request.on('close', () => {
      if (request.readableEnded) return;
      inflater?.destroy();
      reject(endedEarly());
    });
    if (inflater !== undefined) request.pipe(inflater);
  });
}

function endedEarly(): HttpProblem {
  return new HttpProblem('body_incomplete', 'The body ended early');
}
