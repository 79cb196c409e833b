import { IntegerField, NumberField, StringField, StringOrListField } from '@app/http';

/** What `LlmConfig` and the settings of the leader of a team have in common. */
export class LlmSettings {
  @StringField({ description: 'Id or value of a model' })
  readonly model?: string | null;

  @NumberField({ description: 'Sampling temperature' })
  readonly temperature?: number | null;

  @IntegerField({ description: 'Maximum number of generated tokens' })
  readonly max_tokens?: number | null;

  @NumberField({ description: 'Nucleus sampling probability' })
  readonly top_p?: number | null;

  @IntegerField({ description: 'Number of candidate tokens in sampling' })
  readonly top_k?: number | null;

  @NumberField({ description: 'Frequency penalty' })
  readonly frequency_penalty?: number | null;

  @NumberField({ description: 'Presence penalty' })
  readonly presence_penalty?: number | null;

  @IntegerField({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, description: 'Seed of the sampling' })
  readonly seed?: number | null;

  @IntegerField({ min: 0, description: 'Retries of a request to the model, see the guide on models' })
  readonly retries?: number | null;

  @IntegerField({ min: 1, description: 'Maximum delay before such a retry in milliseconds' })
  readonly retry_max_delay_ms?: number | null;
}

/** How an agent calls its model. Other keys are stored, and have no effect. */
export class LlmConfig extends LlmSettings {
  @StringOrListField({ description: 'Stop sequence, or a list of them' })
  readonly stop?: string | string[] | null;
}
