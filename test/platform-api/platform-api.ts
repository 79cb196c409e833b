import { call, type HttpResponse, type CallOptions } from '../support/http.js';
import type { Platform } from '../support/platform.js';

/** Calls of the platform API with one key. */
export class PlatformApi {
  constructor(
    private readonly platform: Platform,
    readonly key: string = platform.adminKey,
  ) {}

  get url(): string {
    const { platformApi } = this.platform;
    if (platformApi === undefined) throw new Error('The platform API is not running');
    return platformApi.url;
  }

  async call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<HttpResponse> {
    const sent = body === undefined ? {} : { body };
    return call(method, this.url + path, { scheme: 'UserKey', key: this.key, ...sent, ...options });
  }

  /** Returns the body of the response; throws if it has another status. */
  async expect(status: number, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await this.call(method, path, body);
    if (response.status !== status)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return (response.body ?? {}) as Record<string, unknown>;
  }

  /** Returns the same API with a new key that has these scopes. */
  async withScopes(...scopes: string[]): Promise<PlatformApi> {
    const minted = await this.expect(201, 'POST', '/api/v1/auth/keys', { name: `for ${scopes.join()}`, scopes });
    return new PlatformApi(this.platform, String(minted['key']));
  }
}
