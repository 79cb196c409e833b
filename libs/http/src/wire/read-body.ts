import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Transform } from 'node:stream';
import { onceGone } from '@app/kernel';
import { ByteBudget } from './byte-budget.js';
import type { Access } from '../routes/access.js';
import { WireProblem } from './wire-problem.js';

/** Bytes, inflated. */
export const BODY_LIMIT = 1_048_576;
const LARGE_BODY_LIMIT = 10 * BODY_LIMIT;

/**
 * Bytes of bodies under way in this process. Strangers (public routes) have a share of their own, so that they can not
 * take the room of those who hold a key.
 */
const UNDER_WAY = { keyed: new ByteBudget(268_435_456), public: new ByteBudget(67_108_864) };

const INFLATERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
};

export interface BodyBounds {
  /** Bytes of this body, inflated. */
  readonly limit: number;
  /** Shared with other requests: what this body takes of it is given back when the answer is done. */
  readonly budget: ByteBudget;
}

export function boundsOf(access: Access | undefined, large: boolean): BodyBounds {
  const budget = access === undefined || access.kind === 'public' ? UNDER_WAY.public : UNDER_WAY.keyed;
  return { limit: large ? LARGE_BODY_LIMIT : BODY_LIMIT, budget };
}

/**
 * The bytes of a body, inflated where they are compressed. Ask only once it is clear that the caller may call the route:
 * a body that nobody asks for is discarded by the server as it comes, unread.
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
  const inflater = encoding === 'identity' ? undefined : INFLATERS[encoding]?.();
  if (encoding !== 'identity' && inflater === undefined) throw new WireProblem(415, 'Unsupported Content-Encoding');
  const bytes = new HeldBytes(bounds);
  onceGone(response, () => bytes.release());
  try {
    await collect(request, inflater, bytes);
    return bytes.whole();
  } catch (error) {
    bytes.release();
    throw error;
  }
}

/**
 * The bytes of one body, paid for from the budget as they come. Once they were let go nothing is taken any more: an
 * inflater goes on for a while after its client went, and nobody would give back what it brings.
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
    if (this.size > this.bounds.limit) throw new WireProblem(413, 'The body is too large');
    this.bounds.budget.take(chunk.length);
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
    this.bounds.budget.give(this.paid);
    this.paid = 0;
    this.chunks = [];
  }
}

/**
 * Resolves at the body's end. A body that turns out to be refused is let go at once, but told of at its end: a client
 * that is still sending would not read the answer. How long that may take, the server bounds.
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
    inflater?.on('error', () => refuse(new WireProblem(400, 'Bad request')));
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

function endedEarly(): WireProblem {
  return new WireProblem(400, 'The body ended early');
}
