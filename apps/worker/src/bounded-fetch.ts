const MIB = 1_048_576;
const LF = 10;
const CR = 13;

/** A response exceeds the maximum size that the worker reads. The message contains nothing of the response. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

/**
 * Returns a `fetch` whose response bodies fail with ResponseTooLarge after `maxBytes`, so that no server exhausts the
 * memory.
 */
export function boundedFetch(inner: typeof fetch, maxBytes: number): typeof fetch {
  return async (input, init) => boundedResponse(await inner(input, init), maxBytes);
}

function boundedResponse(response: Response, maxBytes: number): Response {
  const { status, statusText, headers, body } = response;
  if (body === null) return response;
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else controller.error(new ResponseTooLarge(`the response has more than ${maxBytes / MIB} MiB`));
    },
  });
  return new Response(body.pipeThrough(bounded), { status, statusText, headers });
}

/** Callbacks for the end of a `text/event-stream` response. */
export interface EventStreamEnd {
  /**
   * Called when the stream fails or an event is too long. For its reader the stream then ends, or fails with the error that
   * this function throws.
   */
  failed(error: unknown): void;
  /** Called when the server ends the stream. */
  ended(): void;
}

/**
 * Like `boundedFetch`, but limits each event of a `text/event-stream` response instead of the whole response, which may
 * last as long as its connection.
 */
export function boundedEventFetch(inner: typeof fetch, maxBytes: number, end: EventStreamEnd): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const { status, statusText, headers, body } = response;
    const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
    if (body === null || !isStream) return boundedResponse(response, maxBytes);
    return new Response(ReadableStream.from(boundedEvents(body, maxBytes, end)), { status, statusText, headers });
  };
}

async function* boundedEvents(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  end: EventStreamEnd,
): AsyncGenerator<Uint8Array> {
  const size = new EventSize();
  try {
    for await (const chunk of body) {
      if (size.add(chunk) > maxBytes) {
        throw new ResponseTooLarge(`an event of the response has more than ${maxBytes / MIB} MiB`);
      }
      yield chunk;
    }
  } catch (error) {
    end.failed(error);
    return;
  }
  end.ended();
}

/** Counts the bytes of the event that is being received. A blank line ends an event; lines end with LF, CR or CRLF. */
class EventSize {
  private bytes = 0;
  private isLineEmpty = true;
  private isAfterCr = false;

  /** Returns the size of the longest event of which the chunk contains a part. */
  add(chunk: Uint8Array): number {
    let longest = 0;
    for (const byte of chunk) {
      this.bytes += 1;
      longest = Math.max(longest, this.bytes);
      if (byte === CR || (byte === LF && !this.isAfterCr)) {
        if (this.isLineEmpty) this.bytes = 0;
        this.isLineEmpty = true;
      } else if (byte !== LF) this.isLineEmpty = false;
      this.isAfterCr = byte === CR;
    }
    return longest;
  }
}

/** Returns the ResponseTooLarge in the chain of causes of an error; null if there is none. */
export function tooLargeBehind(error: unknown): ResponseTooLarge | null {
  if (error instanceof ResponseTooLarge) return error;
  return error instanceof Error && error.cause !== undefined ? tooLargeBehind(error.cause) : null;
}
