/** An entity of any domain by its type, for example `agent`, and its id. */
export interface EntityRef {
  readonly entity_type: string;
  readonly entity_id: string;
}
