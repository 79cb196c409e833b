import type { JsonObject, Patch } from '@app/kernel';

/** The fields a client can set. */
export interface IntegrationFields {
  /** Unique in the organization. */
  readonly name: string;
  /** Kind of the connected system; any text. */
  readonly type: string;
  readonly description: string | null;
  /**
   * Free-form. The keys that an execution environment also has (variables, secrets, MCP servers) apply to runs that
   * name the integration.
   */
  readonly configuration: JsonObject;
  readonly tags: string[];
  readonly metadata: JsonObject;
}

export interface Integration extends IntegrationFields {
  readonly id: string;
  readonly organization_id: string;
  /** The names of the secrets to which the configuration refers. */
  readonly secret_names: string[];
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Row of a new integration, without its organization. */
export type NewIntegration = Omit<Integration, 'organization_id'>;
export type CreateIntegration = Pick<IntegrationFields, 'name' | 'type'> &
  Patch<Omit<IntegrationFields, 'name' | 'type'>>;
export type UpdateIntegration = Patch<IntegrationFields>;

export interface IntegrationFilter {
  readonly name?: string;
  readonly type?: string;
  readonly tag?: string;
}

/** The layer that an integration adds to the execution environment of a run. */
export interface IntegrationLayer {
  readonly id: string;
  /** For error messages, for example `the integration mail`. */
  readonly name: string;
  readonly environment: JsonObject;
}
