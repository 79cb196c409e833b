import { OutInteger, OutObject, OutString, OutStrings, OutTime } from '@app/http';
import { WORKER_QUEUE_STATUSES } from '@app/environments';
import type { JsonObject } from '@app/kernel';

export class WorkerQueueResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly environment_id!: string;

  @OutString()
  readonly name!: string;

  @OutString()
  readonly display_name!: string;

  @OutString()
  readonly description!: string;

  @OutString({ enum: WORKER_QUEUE_STATUSES })
  readonly status!: string;

  @OutInteger({ nullable: true, description: 'null means unlimited' })
  readonly max_workers!: number | null;

  @OutInteger({ description: 'Seconds' })
  readonly heartbeat_interval!: number;

  @OutStrings()
  readonly tags!: readonly string[];

  @OutObject()
  readonly settings!: JsonObject;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;

  @OutString({ nullable: true })
  readonly created_by!: string | null;

  @OutString({ description: "The queue's id" })
  readonly task_queue_name!: string;

  @OutInteger({ description: 'Workers that are neither disconnected nor stale' })
  readonly active_workers!: number;
}
