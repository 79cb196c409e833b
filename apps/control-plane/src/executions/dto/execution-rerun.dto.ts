import {
  EnumField,
  ObjectField,
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseString,
  StringField,
  StringListField,
  ValidateObject,
} from '@app/http';
import { overrideFaults } from '@app/jobs';
import type { Fault, JsonObject } from '@app/kernel';
import { BULK_ACTIONS, type BulkAction } from '@app/jobs';

@ValidateObject(overrideFaults)
export class RerunExecutionRequest {
  @StringField({ description: 'Prompt that replaces that of the execution; not for runs of jobs' })
  readonly prompt?: string | null;

  @StringField({ description: 'System prompt that replaces that of the execution; not for runs of jobs' })
  readonly system_prompt?: string | null;

  @ObjectField({
    empty: 'keep',
    description:
      'Parameters of the job or workflow, which replace those of the execution; for runs of jobs and workflows only',
  })
  readonly parameters?: JsonObject;

  @ObjectField({ empty: 'keep', description: 'Configuration; its top-level keys override those of the execution' })
  readonly config_override?: JsonObject;

  @StringField({
    maxLength: 255,
    alias: 'worker_queue_name',
    description: 'Worker queue id or name. Default: a queue is chosen as for a first start',
  })
  readonly worker_queue_id?: string | null;
}

const MAX_EXECUTIONS = 100;

@ValidateObject(emptyListFaults)
export class BulkExecutionsRequest {
  @EnumField(BULK_ACTIONS, { required: true, description: '`cancel`, or `rerun` with the input of the execution' })
  readonly action!: BulkAction;

  @StringListField({ required: true, maxItems: MAX_EXECUTIONS, description: 'Execution ids, 1 to 100' })
  readonly execution_ids!: string[];
}

function emptyListFaults({ execution_ids: ids }: { readonly execution_ids?: unknown }): Fault[] {
  if (!Array.isArray(ids) || ids.length > 0) return [];
  return [{ path: ['execution_ids'], msg: 'List should have at least 1 item', type: 'value_error' }];
}

export class BulkResultResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseBoolean({ description: 'Whether the action was applied' })
  readonly ok!: boolean;

  @ResponseInteger({ description: 'HTTP status that a separate request for this action would return', example: 200 })
  readonly status!: number;

  @ResponseString({
    nullable: true,
    description: 'Why the action was not applied, or the error message of a rerun that failed at once; else null',
  })
  readonly detail!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the execution that a `rerun` started; else null' })
  readonly new_execution_id!: string | null;
}

export class BulkExecutionsResponse {
  @ResponseList(BulkResultResponse, { description: 'One result for each id, in the order of the request' })
  readonly results!: readonly BulkResultResponse[];
}
