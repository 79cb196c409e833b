import { EnvVar } from './env-var.js';
import { address, headerSecret, integer, text } from './parsers.js';

/** The model gateway. The platform passes these values to workers. Its own requests only read the list of models. */
export class ModelGatewayConfig {
  @EnvVar('LLM_GATEWAY_URL', address(['http', 'https']), {
    default: null,
    doc: 'URL of an OpenAI-compatible gateway, including /v1. If unset, `npm start` runs a development gateway.',
  })
  readonly url!: string | null;

  @EnvVar('LLM_GATEWAY_API_KEY', headerSecret(), { default: null, doc: 'API key of the gateway.' })
  readonly apiKey!: string | null;

  @EnvVar('DEFAULT_MODEL', text(), { default: null, doc: 'Model of agents that do not name one.' })
  readonly defaultModel!: string | null;
}

/** How the models of the gateway are cached. */
export class ModelCatalogueConfig {
  @EnvVar('MODEL_CATALOGUE_REFRESH_SECONDS', integer({ min: 0, max: 86_400 }), {
    default: 300,
    doc: 'Age at which the cached list of the models of the gateway is read again, in seconds. 0: the list is never read.',
  })
  readonly refreshSeconds!: number;

  @EnvVar('MODEL_CATALOGUE_STALE_SECONDS', integer({ min: 0, max: 31_536_000 }), {
    default: 86_400,
    doc: 'Time in seconds for which the cached models of a failing gateway are still listed. After it, only stored models are listed.',
  })
  readonly staleSeconds!: number;
}
