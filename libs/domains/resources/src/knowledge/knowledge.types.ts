import type { Fault, JsonObject, Patch } from '@app/kernel';

/** Maximum size of the content in bytes of UTF-8. */
export const MAX_CONTENT_BYTES = 1_048_576;
/**
 * Maximum size of the description, the tags and the metadata, each in bytes of UTF-8 as JSON. Small, because lists
 * contain these fields.
 */
const MAX_DETAIL_BYTES = 32_768;

/** The fields a client can set. */
export interface KnowledgeFields {
  /** Need not be unique. */
  readonly name: string;
  readonly description: string | null;
  readonly content: string | null;
  readonly tags: string[];
  readonly metadata: JsonObject;
}

/** An entry without its content, for lists. */
export interface KnowledgeSummary extends Omit<KnowledgeFields, 'content'> {
  readonly id: string;
  readonly organization_id: string;
  /** Bytes of the content in UTF-8. */
  readonly size: number;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface KnowledgeEntry extends KnowledgeSummary, KnowledgeFields {}

/** Row of a new entry, without its organization. */
export type NewKnowledge = Omit<KnowledgeEntry, 'organization_id' | 'size'>;
export type CreateKnowledge = Pick<KnowledgeFields, 'name'> & Patch<Omit<KnowledgeFields, 'name'>>;
export type UpdateKnowledge = Patch<KnowledgeFields>;

/** The fields of an entry that a run receives. */
export type NamedKnowledge = Pick<KnowledgeEntry, 'id' | 'name' | 'description'>;

export interface KnowledgeFilter {
  readonly name?: string;
  /** Only entries with one of these ids. */
  readonly ids?: readonly string[];
  readonly tag?: string;
  /** Words to search, in the syntax of web search engines. */
  readonly text?: string;
}

/** Returns a fault for each field that is too large; ignores fields that are missing. */
export function knowledgeFaults(fields: Readonly<Record<string, unknown>>): readonly Fault[] {
  const { content } = fields;
  const faults: Fault[] = [];
  if (typeof content === 'string' && Buffer.byteLength(content) > MAX_CONTENT_BYTES) {
    faults.push(tooLong('content', MAX_CONTENT_BYTES));
  }
  for (const name of ['description', 'tags', 'metadata']) {
    const value = fields[name];
    if (value !== undefined && Buffer.byteLength(JSON.stringify(value)) > MAX_DETAIL_BYTES) {
      faults.push(tooLong(name, MAX_DETAIL_BYTES));
    }
  }
  return faults;
}

function tooLong(field: string, bytes: number): Fault {
  return { path: [field], msg: `The value should have at most ${bytes} bytes in UTF-8`, type: 'value_error' };
}
