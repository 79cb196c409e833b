import { IntegerField, NestedField, ObjectField, ObjectListField, StringField, TimeField } from '@app/http';
import { ADDRESSABLE_MEANS, ADDRESSABLE_PATTERN, type JsonObject } from '@app/kernel';

/** The fields of a task record that an update may write. */
export class UpdateTaskRequest {
  @IntegerField()
  readonly task_number?: number | null;

  @StringField()
  readonly task_description?: string | null;

  @StringField()
  readonly task_type?: string | null;

  @StringField({ empty: 'keep', maxLength: 50, default: 'pending' })
  readonly status?: string;

  @TimeField()
  readonly started_at?: Date | null;

  @TimeField()
  readonly completed_at?: Date | null;

  @IntegerField({ min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Milliseconds' })
  readonly duration_ms?: number | null;

  @StringField()
  readonly result?: string | null;

  @StringField()
  readonly error_message?: string | null;

  @ObjectField({ empty: 'keep' })
  readonly metadata?: JsonObject;
}

export class BatchTaskRequest extends UpdateTaskRequest {
  @StringField({
    maxLength: 255,
    pattern: ADDRESSABLE_PATTERN,
    patternMeans: ADDRESSABLE_MEANS,
    description: 'The same task again updates its record. Default: a new id',
  })
  readonly task_id?: string | null;
}

export class CreateTaskRequest extends BatchTaskRequest {
  @StringField({ required: true })
  readonly execution_id!: string;
}

/** Of each kind. A batch is one transaction, and one request must not keep the others waiting for long. */
const BATCH_MAX_ITEMS = 2000;

export class BatchRequest {
  @StringField({ required: true })
  readonly execution_id!: string;

  @NestedField(BatchTaskRequest, { list: true, maxItems: BATCH_MAX_ITEMS })
  readonly tasks?: BatchTaskRequest[] | null;

  @ObjectListField({ empty: 'keep', maxItems: BATCH_MAX_ITEMS })
  readonly tool_calls?: JsonObject[];

  @ObjectListField({ empty: 'keep', maxItems: BATCH_MAX_ITEMS })
  readonly turns?: JsonObject[];
}

export class SummaryQuery {
  @StringField({ empty: 'keep' })
  readonly execution_id?: string;

  @TimeField({ empty: 'keep', description: 'Created at or after' })
  readonly time_from?: Date;

  @TimeField({ empty: 'keep', description: 'Created before' })
  readonly time_to?: Date;
}
