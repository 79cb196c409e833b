import { call, type Answer, type CallOptions } from '../support/http.js';
import type { Platform } from '../support/platform.js';

/** Calls of the platform API with one key. */
export class PlatformApi {
  constructor(
    private readonly platform: Platform,
    readonly key: string = platform.adminKey,
  ) {}

  get url(): string {
    const { platformApi } = this.platform;
    if (platformApi === undefined) throw new Error('No platform API runs');
    return platformApi.url;
  }

  async call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const sent = body === undefined ? {} : { body };
    return call(method, this.url + path, { scheme: 'UserKey', key: this.key, ...sent, ...options });
  }

  /** The object that a call which must pass answers. */
  async expect(status: number, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.call(method, path, body);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return (answer.body ?? {}) as Record<string, unknown>;
  }

  /** The same API with a key of these scopes. */
  async withScopes(...scopes: string[]): Promise<PlatformApi> {
    const minted = await this.expect(201, 'POST', '/api/v1/auth/keys', { name: `for ${scopes.join()}`, scopes });
    return new PlatformApi(this.platform, String(minted['key']));
  }
}
