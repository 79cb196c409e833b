import {
  ListQuery,
  NameFilterField,
  ObjectField,
  PatchOf,
  StringField,
  StringListField,
  ValidateObject,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { knowledgeFaults, MAX_CONTENT_BYTES } from '@app/resources';

@ValidateObject(knowledgeFaults)
export class CreateKnowledgeRequest {
  @StringField({ required: true, maxLength: 255, description: 'Name; need not be unique', example: 'Refund policy' })
  readonly name!: string;

  @StringField({ description: 'Description, as free text, at most 32 KiB' })
  readonly description?: string | null;

  @StringField({
    maxLength: MAX_CONTENT_BYTES,
    description: 'Text of the entry, at most 1 MiB in UTF-8. Default: none',
    example: 'Refunds are paid within 14 days.',
  })
  readonly content?: string | null;

  @StringListField({ empty: 'keep', description: 'Tags, together at most 32 KiB as JSON' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep', description: 'Free-form JSON object, stored unchanged, at most 32 KiB' })
  readonly metadata?: JsonObject;
}

@ValidateObject(knowledgeFaults)
export class UpdateKnowledgeRequest extends PatchOf(CreateKnowledgeRequest) {}

export class SearchKnowledgeQuery extends ListQuery {
  @StringField({
    empty: 'keep',
    maxLength: 500,
    description:
      'Words to find in name, tags, description and content, at most 500 characters: `"a phrase"`, `one or other`, `-without`. ' +
      'The best matches come first',
    example: 'refund -shipping',
  })
  readonly q?: string;
}

export class ListKnowledgeQuery extends SearchKnowledgeQuery {
  @StringField({ empty: 'keep', maxLength: 255, description: 'One of the tags' })
  readonly tag?: string;

  @NameFilterField()
  readonly name?: string;
}
