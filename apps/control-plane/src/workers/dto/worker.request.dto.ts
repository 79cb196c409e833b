import { EnumField, IntegerField, ListQuery, NumberField, ObjectField, StringField, UuidField } from '@app/http';
import { CONNECTED_STATUSES, WORKER_STATUSES, type ConnectedStatus, type WorkerStatus } from '@app/environments';
import type { JsonObject } from '@app/kernel';

/** The longest a poll is held open, in seconds: below what balancers allow an idle request. */
const MAX_POLL_SECONDS = 30;
const MAX_LEASES_PER_POLL = 100;

/** Of Windows, where exit codes have no sign. */
const MAX_EXIT_CODE = 4_294_967_295;

export class StartWorkerRequest {
  @StringField()
  readonly hostname?: string | null;

  @ObjectField({ empty: 'keep' })
  readonly worker_metadata?: JsonObject;
}

export class RegisterWorkerRequest extends StartWorkerRequest {
  @StringField({ description: 'Name or id of the environment to work in; default: the default one' })
  readonly environment_name?: string | null;

  @StringField({ description: "The environment's worker_token, in place of its name" })
  readonly worker_token?: string | null;

  @StringField({ description: 'Name or id of the worker queue; default: default, or else the oldest active one' })
  readonly worker_queue_name?: string | null;
}

export class HeartbeatRequest {
  @EnumField(CONNECTED_STATUSES, { empty: 'keep', description: 'What the worker does; absent means as before' })
  readonly status?: ConnectedStatus;

  @ObjectField({ empty: 'keep', description: 'Replaces what the worker said before' })
  readonly worker_metadata?: JsonObject;
}

export class HeartbeatByBodyRequest extends HeartbeatRequest {
  @UuidField({ required: true })
  readonly worker_id!: string;
}

/** A poll that does not say. */
export const POLL = { max: 1, wait_seconds: 20 };

export class PollRequest {
  @IntegerField({
    empty: 'keep',
    min: 1,
    max: MAX_LEASES_PER_POLL,
    default: POLL.max,
    description: 'Leases to answer at most; large ones come fewer at a time',
  })
  readonly max?: number;

  @NumberField({
    empty: 'keep',
    min: 0,
    max: MAX_POLL_SECONDS,
    default: POLL.wait_seconds,
    description: 'How long to hold the request while there is no work',
  })
  readonly wait_seconds?: number;
}

export class DisconnectWorkerRequest {
  @StringField({ empty: 'keep', default: 'shutdown', example: 'crash' })
  readonly reason?: string;

  @IntegerField({ max: MAX_EXIT_CODE })
  readonly exit_code?: number | null;

  @StringField()
  readonly error_message?: string | null;
}

export class ListWorkersQuery extends ListQuery {
  @EnumField(WORKER_STATUSES, { empty: 'keep' })
  readonly status?: WorkerStatus;

  @StringField({ empty: 'keep' })
  readonly worker_queue_id?: string;
}
