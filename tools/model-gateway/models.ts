/** Who owns every model of this gateway, in its list and as the fingerprint of its answers. */
export const OWNER = 'development-model-gateway';

export interface DevelopmentModel {
  readonly id: string;
  readonly description: string;
  readonly contextWindow: number;
}

/** The first one is what a platform without a configured default picks. */
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

/** Creation time the list states for the models: fixed, so that two lists are equal. Unix seconds. */
const MODELS_CREATED = 1_767_225_600;

export function findModel(id: string): DevelopmentModel | undefined {
  return DEVELOPMENT_MODELS.find((model) => model.id === id);
}

export function describeModel(model: DevelopmentModel) {
  return {
    id: model.id,
    object: 'model',
    created: MODELS_CREATED,
    owned_by: OWNER,
    description: model.description,
    context_window: model.contextWindow,
    metadata: { development: true, deterministic: true, tool_calls: true },
  };
}
