import { IntegerField, NestedField, ObjectField, ObjectListField, PatchOf, StringField, TimeField } from '@app/http';
import { ADDRESSABLE_MEANS, ADDRESSABLE_PATTERN, type JsonObject } from '@app/kernel';

export class BatchTaskRequest {
  @StringField({
    maxLength: 255,
    pattern: ADDRESSABLE_PATTERN,
    patternMeans: ADDRESSABLE_MEANS,
    description: 'Task id, unique within the execution; a known id updates its record. Default: a new id',
  })
  readonly task_id?: string | null;

  @IntegerField()
  readonly task_number?: number | null;

  @StringField()
  readonly task_description?: string | null;

  @StringField()
  readonly task_type?: string | null;

  @StringField({
    empty: 'keep',
    maxLength: 50,
    default: 'pending',
    description: 'Status of the task, chosen by the worker. Default `pending` on creation',
  })
  readonly status?: string;

  @TimeField()
  readonly started_at?: Date | null;

  @TimeField()
  readonly completed_at?: Date | null;

  @IntegerField({ min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Duration in milliseconds' })
  readonly duration_ms?: number | null;

  @StringField()
  readonly result?: string | null;

  @StringField()
  readonly error_message?: string | null;

  @ObjectField({ empty: 'keep' })
  readonly metadata?: JsonObject;
}

export class CreateTaskRequest extends BatchTaskRequest {
  @StringField({ required: true })
  readonly execution_id!: string;
}

export class UpdateTaskRequest extends PatchOf(BatchTaskRequest, { omit: ['task_id'] }) {}

/** Limit for each kind of item: a batch is one transaction and must stay short. */
const BATCH_MAX_ITEMS = 2000;

export class BatchRequest {
  @StringField({ required: true })
  readonly execution_id!: string;

  @NestedField(BatchTaskRequest, { list: true, maxItems: BATCH_MAX_ITEMS, description: 'Task records' })
  readonly tasks?: BatchTaskRequest[] | null;

  @ObjectListField({ empty: 'keep', maxItems: BATCH_MAX_ITEMS, description: 'Tool calls, as free-form objects' })
  readonly tool_calls?: JsonObject[];

  @ObjectListField({
    empty: 'keep',
    maxItems: BATCH_MAX_ITEMS,
    description: 'Turns of the conversation, as free-form objects',
  })
  readonly turns?: JsonObject[];
}

export class AnalyticsSummaryQuery {
  @StringField({ empty: 'keep', description: 'Execution id. Default: all executions' })
  readonly execution_id?: string;

  @TimeField({ empty: 'keep', description: 'Earliest creation time, inclusive' })
  readonly time_from?: Date;

  @TimeField({ empty: 'keep', description: 'Latest creation time, exclusive' })
  readonly time_to?: Date;
}
