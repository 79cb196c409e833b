import { EnvVar } from './env-var.js';
import { address, flag, headerSecret, integer, listOf, oneOf, port, text, wordList } from './parsers.js';

/** The tool server: its address, the platform that it calls, and its calls. */
export class ToolServerConfig {
  @EnvVar('TOOL_SERVER_PORT', port, { default: 3002, doc: 'Port of the tool server.' })
  readonly port!: number;

  @EnvVar('TOOL_SERVER_HOST', text(), { default: '127.0.0.1', doc: 'Address the tool server listens on.' })
  readonly host!: string;

  @EnvVar('TOOL_SERVER_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL under which clients reach the tool server, without /mcp. Default: its own address.',
  })
  readonly publicUrl!: string | null;

  @EnvVar('TOOL_SERVER_ORIGINS', listOf(null), {
    default: [],
    doc: 'Hosts whose web pages may call the tool server, separated by commas (console.example.com). Always: localhost and the host of TOOL_SERVER_URL.',
  })
  readonly origins!: readonly string[];

  @EnvVar('TOOL_SERVER_WAIT_SECONDS', integer({ min: 1, max: 600 }), {
    default: 50,
    doc: 'How long a call that runs a workflow waits for the result, in seconds; then it returns the id of the execution. Less than 60, after which many clients end a call: the rest is for the start of the run and for the response.',
  })
  readonly waitSeconds!: number;

  @EnvVar('TOOL_SERVER_PLATFORM_TIMEOUT_MS', integer({ min: 100, max: 600_000 }), {
    default: 20_000,
    doc: 'Time for the platform API to respond to a request of the tool server, in milliseconds, including retries. The start of a run is repeated once after that.',
  })
  readonly platformTimeoutMs!: number;

  @EnvVar('TOOL_SERVER_EXPOSE_WORKFLOWS', flag, {
    default: false,
    doc: 'Whether each workflow is a tool of its own as well.',
  })
  readonly exposeWorkflows!: boolean;

  @EnvVar('TOOL_SERVER_MAX_CALLS', integer({ min: 1, max: 100_000 }), {
    default: 100,
    doc: 'Maximum number of simultaneous calls with one API key: of tools, and of requests for resources and prompts.',
  })
  readonly maxCalls!: number;
}

/** Where the callers of the tool server get their identity from. */
export class ToolServerIdentityConfig {
  @EnvVar('SERVICE_API_KEY', headerSecret(), {
    default: null,
    doc: 'API key with which the tool server acts in simple mode if a call has none. Whoever reaches the server acts as its user.',
  })
  readonly serviceApiKey!: string | null;

  @EnvVar('SERVICE_AUTH_SERVER', address(['http', 'https']), {
    default: null,
    doc: 'Address (issuer) of the authorization server. With it, the tool server accepts only access tokens, and acts with the API key in their claims. Default: simple mode.',
  })
  readonly authServer!: string | null;

  @EnvVar('TOOL_SERVER_AUTH_TYPE', oneOf(['oidc', 'oauth']), {
    default: 'oidc',
    doc: 'Where the metadata of the authorization server is. oidc: OpenID Connect Discovery. oauth: RFC 8414.',
  })
  readonly authType!: 'oidc' | 'oauth';

  @EnvVar('TOOL_SERVER_REQUIRED_SCOPES', wordList, {
    default: [],
    doc: 'Scopes that every access token must have, separated by spaces or commas.',
  })
  readonly requiredScopes!: readonly string[];

  @EnvVar('TOOL_SERVER_AUDIENCE', wordList, {
    default: null,
    doc: 'Audiences of which an access token must have one, separated by spaces or commas; none: any audience. Default: the URL of the tool server, or a token without an audience.',
  })
  readonly audience!: readonly string[] | null;
}
