import {
  EnumField,
  IntegerField,
  ListQuery,
  NumberField,
  ObjectField,
  StringField,
  StringListField,
  UuidField,
} from '@app/http';
import { CONNECTED_STATUSES, WORKER_STATUSES, type ConnectedStatus, type WorkerStatus } from '@app/environments';
import type { JsonObject } from '@app/kernel';

/** Maximum duration of a poll in seconds, below the idle timeout of load balancers. */
const MAX_POLL_SECONDS = 30;
const MAX_LEASES_PER_POLL = 100;

/** Windows exit codes are unsigned 32-bit integers. */
const MAX_EXIT_CODE = 4_294_967_295;

/** Bounds of what a worker declares. */
const OFFER = { maxItems: 100, maxItemLength: 255 };

export class StartWorkerRequest {
  @StringField()
  readonly hostname?: string | null;

  @StringField({
    maxLength: 255,
    description: 'Name of the runner, which is created if there is none. Default: `worker_metadata.runner_name`',
  })
  readonly runner_name?: string | null;

  @ObjectField({ empty: 'keep' })
  readonly worker_metadata?: JsonObject;

  @StringListField({
    ...OFFER,
    description: 'Ids of all runtimes that the worker has, `default` included. Default: unknown, which counts as any',
    example: ['default', 'acme_code'],
  })
  readonly runtimes?: string[] | null;

  @StringListField({
    ...OFFER,
    description: 'Types of the built-in skills that the worker offers. Default: unknown, which counts as any',
    example: ['file_system'],
  })
  readonly skills?: string[] | null;
}

export class RegisterWorkerRequest extends StartWorkerRequest {
  @StringField({ description: 'Environment id or name. Default: the environment `default`' })
  readonly environment_name?: string | null;

  @StringField({ description: '`worker_token` of the environment, in place of `environment_name`' })
  readonly worker_token?: string | null;

  @StringField({ description: 'Worker queue id or name. Default: the queue `default`, else the oldest active one' })
  readonly worker_queue_name?: string | null;
}

export class HeartbeatRequest {
  @EnumField(CONNECTED_STATUSES, { empty: 'keep', description: 'Status of the worker. Default: unchanged' })
  readonly status?: ConnectedStatus;

  @ObjectField({
    empty: 'keep',
    description: 'Free-form data that the worker reports about itself. Replaces the previous value',
  })
  readonly worker_metadata?: JsonObject;

  @StringListField({
    ...OFFER,
    empty: 'keep',
    description: 'Ids of all runtimes that the worker has. Default: unchanged',
  })
  readonly runtimes?: string[];

  @StringListField({
    ...OFFER,
    empty: 'keep',
    description: 'Types of the built-in skills that the worker offers. Default: unchanged',
  })
  readonly skills?: string[];

  @StringListField({
    empty: 'keep',
    description:
      'Ids of the executions that the worker runs. Only their leases are renewed. Default: all leases of the worker',
  })
  readonly execution_ids?: readonly string[];
}

export class HeartbeatByBodyRequest extends HeartbeatRequest {
  @UuidField({ required: true })
  readonly worker_id!: string;
}

/** The defaults of a poll. */
export const POLL = { max: 1, wait_seconds: 20 };

export class PollRequest {
  @IntegerField({
    empty: 'keep',
    min: 1,
    max: MAX_LEASES_PER_POLL,
    default: POLL.max,
    description: 'Maximum number of leases, 1 to 100. Default 1. Fewer are returned if they are large',
  })
  readonly max?: number;

  @NumberField({
    empty: 'keep',
    min: 0,
    max: MAX_POLL_SECONDS,
    default: POLL.wait_seconds,
    description: 'Seconds to wait for work, 0 to 30. Default 20',
  })
  readonly wait_seconds?: number;
}

export class DisconnectWorkerRequest {
  @StringField({
    empty: 'keep',
    default: 'shutdown',
    example: 'crash',
    description: 'Reason of the disconnect. Default `shutdown`',
  })
  readonly reason?: string;

  @IntegerField({ max: MAX_EXIT_CODE, description: 'Exit code of the worker process' })
  readonly exit_code?: number | null;

  @StringField({ description: 'Error with which the worker ended' })
  readonly error_message?: string | null;
}

export class ListWorkersQuery extends ListQuery {
  @EnumField(WORKER_STATUSES, { empty: 'keep', description: 'Worker status' })
  readonly status?: WorkerStatus;

  @StringField({ empty: 'keep', description: 'Worker queue id' })
  readonly worker_queue_id?: string;

  @StringField({ empty: 'keep', description: 'Runner name' })
  readonly runner_name?: string;
}
