/** The `owned_by` of every model and the `system_fingerprint` of every response. */
export const OWNER = 'development-model-gateway';

export interface DevelopmentModel {
  readonly id: string;
  readonly description: string;
  readonly contextWindow: number;
}

/** The first model is the default of a platform without DEFAULT_MODEL. */
export const DEVELOPMENT_MODELS: readonly DevelopmentModel[] = [
  {
    id: 'development-model',
    description: 'Development model: deterministic answers derived from the prompt, no language model behind it.',
    contextWindow: 128_000,
  },
  {
    id: 'development-model-small',
    description: 'Development model with shorter answers, no language model behind it.',
    contextWindow: 16_000,
  },
];

/** The `created` of every model; fixed, so that all lists are equal. Unix time in seconds. */
const MODELS_CREATED_SECONDS = 1_767_225_600;

export function findModel(id: string): DevelopmentModel | undefined {
  return DEVELOPMENT_MODELS.find((model) => model.id === id);
}

export function describeModel(model: DevelopmentModel) {
  return {
    id: model.id,
    object: 'model',
    created: MODELS_CREATED_SECONDS,
    owned_by: OWNER,
    description: model.description,
    context_window: model.contextWindow,
    metadata: { development: true, deterministic: true, tool_calls: true },
  };
}
