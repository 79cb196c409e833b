import { OutBoolean, OutInteger, OutMany, OutObject, OutString, OutTime } from '@app/http';
import { CONNECTED_STATUSES, WORKER_STATUSES } from '@app/environments';
import type { WorkerCommandName } from '@app/executions';
import type { JsonObject } from '@app/kernel';

export class WorkerResponse {
  @OutString()
  readonly id!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly worker_queue_id!: string;

  @OutString()
  readonly queue_name!: string;

  @OutString()
  readonly environment_id!: string;

  @OutString()
  readonly environment_name!: string;

  @OutString({ enum: WORKER_STATUSES })
  readonly status!: string;

  @OutString({ nullable: true })
  readonly hostname!: string | null;

  @OutObject()
  readonly worker_metadata!: JsonObject;

  @OutTime()
  readonly last_heartbeat_at!: string;

  @OutTime({ nullable: true })
  readonly disconnected_at!: string | null;

  @OutString({ nullable: true, description: 'Why it disconnected' })
  readonly reason!: string | null;

  @OutInteger({ nullable: true })
  readonly exit_code!: number | null;

  @OutString({ nullable: true })
  readonly error_message!: string | null;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}

export class StartedWorkerResponse {
  @OutString()
  readonly worker_id!: string;

  @OutString({ description: "The worker queue's id" })
  readonly task_queue_name!: string;

  @OutString()
  readonly organization_id!: string;

  @OutString()
  readonly control_plane_url!: string;

  @OutInteger({ description: 'Seconds' })
  readonly heartbeat_interval!: number;

  @OutString()
  readonly queue_name!: string;

  @OutString()
  readonly environment_name!: string;

  @OutString({ nullable: true })
  readonly llm_gateway_url!: string | null;

  @OutString({ nullable: true, secret: true })
  readonly llm_gateway_api_key!: string | null;

  @OutString({ description: 'Keeps the work of one organization apart from that of others' })
  readonly engine_namespace!: string;

  @OutBoolean()
  readonly websocket_enabled!: boolean;

  @OutString({ nullable: true })
  readonly websocket_url!: string | null;
}

const COMMANDS = ['cancel', 'pause', 'resume'] as const satisfies readonly WorkerCommandName[];

export class WorkerCommandResponse {
  @OutString({ enum: COMMANDS })
  readonly command!: string;

  @OutString()
  readonly execution_id!: string;
}

export class HeartbeatResponse {
  @OutString()
  readonly worker_id!: string;

  @OutString({ enum: CONNECTED_STATUSES })
  readonly status!: string;

  @OutTime()
  readonly last_heartbeat_at!: string;

  @OutInteger({ description: 'Seconds; may have changed since the worker started' })
  readonly heartbeat_interval!: number;

  @OutMany(WorkerCommandResponse, { description: 'Repeated until obeyed' })
  readonly commands!: readonly WorkerCommandResponse[];
}

export class DisconnectedWorkerResponse {
  @OutString()
  readonly worker_id!: string;

  @OutString({ enum: ['disconnected'] })
  readonly status!: 'disconnected';

  @OutString()
  readonly reason!: string;

  @OutInteger({ nullable: true })
  readonly exit_code!: number | null;

  @OutString({ nullable: true })
  readonly error_message!: string | null;

  @OutTime()
  readonly disconnected_at!: string;
}
