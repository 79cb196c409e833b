import { ResponseInteger, ResponseObject, ResponseString, ResponseStringList, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';

/** An entry in a list, without its content. */
export class KnowledgeSummaryResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name; not necessarily unique' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseStringList()
  readonly tags!: readonly string[];

  @ResponseObject()
  readonly metadata!: JsonObject;

  @ResponseInteger({ description: 'Size of the content in bytes of UTF-8' })
  readonly size!: number;

  @ResponseString({ nullable: true })
  readonly created_by!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

export class KnowledgeResponse extends KnowledgeSummaryResponse {
  @ResponseString({ nullable: true, description: 'Text of the entry; null for none. Lists omit it' })
  readonly content!: string | null;
}
