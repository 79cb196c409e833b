const CHANNEL = 'console.session';
/** Time for which a new tab waits for the key of another one. Tabs answer within a few milliseconds. */
const WAIT_MS = 300;

type Message = { readonly type: 'ask' } | { readonly type: 'key'; readonly key: string } | { readonly type: 'end' };

/**
 * Connects the tabs of one browser: a tab that was opened by a click has no sessionStorage of the tab that opened it, so
 * it asks the others for the key. Messages stay within the origin.
 */
export class TabChannel {
  private readonly channel = new BroadcastChannel(CHANNEL);

  constructor(
    private readonly keyOf: () => string | null,
    private readonly onEnd: () => void,
  ) {
    this.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => this.receive(data));
  }

  /** Resolves to the key of another tab; null if none answers. */
  async ask(): Promise<string | null> {
    return new Promise((resolve) => {
      const finish = (key: string | null): void => {
        clearTimeout(timer);
        this.channel.removeEventListener('message', listen);
        resolve(key);
      };
      const listen = ({ data }: MessageEvent<Message>): void => {
        if (data.type === 'key') finish(data.key);
      };
      const timer = setTimeout(() => finish(null), WAIT_MS);
      this.channel.addEventListener('message', listen);
      this.send({ type: 'ask' });
    });
  }

  /** Signs the other tabs out. */
  end(): void {
    this.send({ type: 'end' });
  }

  private receive(message: Message): void {
    if (message.type === 'end') return this.onEnd();
    const key = this.keyOf();
    if (message.type === 'ask' && key !== null) this.send({ type: 'key', key });
  }

  private send(message: Message): void {
    this.channel.postMessage(message);
  }
}
