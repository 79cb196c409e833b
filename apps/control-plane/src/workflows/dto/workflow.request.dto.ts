import { ObjectField, OpenObjectField, StringField, ValidateObject } from '@app/http';
import { RUN_LIMIT_KEYS, startConfigFaults } from '@app/executions';
import type { JsonObject } from '@app/kernel';
import { RUN_LIMITS } from '../../executions/dto/run-limits.js';
import { ExecutionEnvironment } from '../../environments/dto/execution-environment.dto.js';

@ValidateObject(({ config }) => startConfigFaults(config, 'config'))
export class ExecuteWorkflowRequest {
  @ObjectField({ empty: 'keep', description: 'Values of `{{params.<name>}}` in the steps, by name' })
  readonly params?: JsonObject;

  @StringField({
    maxLength: 255,
    alias: 'worker_queue_name',
    description: 'Worker queue id or name. Default: a queue of one of the environments of the agents and teams',
  })
  readonly worker_queue_id?: string | null;

  @StringField({ maxLength: 255 })
  readonly parent_execution_id?: string | null;

  @ObjectField({ empty: 'keep', keysWithEffect: RUN_LIMIT_KEYS, description: RUN_LIMITS })
  readonly config?: JsonObject;

  @ObjectField({ empty: 'keep', description: 'Free-form metadata, stored as `execution_metadata.user_metadata`' })
  readonly user_metadata?: JsonObject;

  @OpenObjectField(ExecutionEnvironment, {
    empty: 'keep',
    description:
      'Execution environment of this run. Its values take precedence over those of the agents and teams. Commands in it require the scope `agents:write`',
  })
  readonly execution_environment?: JsonObject;
}
