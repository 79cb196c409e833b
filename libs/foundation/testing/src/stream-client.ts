import { once } from 'node:events';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';

export interface ReceivedFrame {
  readonly id: string | null;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** A client of a stream that records every frame. */
export class StreamClient {
  readonly frames: ReceivedFrame[] = [];
  comments = 0;
  /** How the connection ended; `null` while it is open. */
  ended: 'closed' | 'broken' | null = null;
  private rest = '';

  private constructor(
    private readonly request: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.read(text));
    response.on('error', () => (this.ended = 'broken'));
    response.on('end', () => (this.ended ??= 'closed'));
  }

  static async open(url: string, lastEventId?: string, key?: string, scheme = 'Bearer'): Promise<StreamClient> {
    const headers = {
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
      ...(key === undefined ? {} : { Authorization: `${scheme} ${key}` }),
    };
    const request = get(url, { headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new StreamClient(request, response);
  }

  /** The frames of the log, which are those with an id. */
  get events(): ReceivedFrame[] {
    return this.frames.filter((frame) => frame.id !== null);
  }

  get types(): string[] {
    return this.frames.map((frame) => frame.type);
  }

  get lastEventId(): string | undefined {
    return this.events.at(-1)?.id ?? undefined;
  }

  leave(): void {
    this.request.destroy();
  }

  private read(text: string): void {
    const parts = `${this.rest}${text}`.split('\n\n');
    this.rest = parts.pop() ?? '';
    for (const part of parts) {
      const lines = /^(?:id: (.+)\n)?event: (.+)\ndata: (.+)$/.exec(part);
      if (lines !== null) {
        const data = JSON.parse(lines[3] ?? '') as Record<string, unknown>;
        this.frames.push({ id: lines[1] ?? null, type: lines[2] ?? '', data });
      } else if (part === ': keepalive') this.comments += 1;
      else throw new Error(`Not a frame: ${JSON.stringify(part)}`);
    }
  }
}

/** Returns the counters of the event ids. */
export function countersOf(frames: readonly ReceivedFrame[]): number[] {
  return frames.map((frame) => Number(/_(\d+)_\d+$/.exec(frame.id ?? '')?.[1]));
}

export function countTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
