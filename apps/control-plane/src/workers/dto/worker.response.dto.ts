import {
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseObject,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from '@app/http';
import { CONNECTED_STATUSES, WORKER_STATUSES } from '@app/environments';
import type { WorkerCommandName } from '@app/executions';
import type { JsonObject } from '@app/kernel';

export class WorkerResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString()
  readonly worker_queue_id!: string;

  @ResponseString()
  readonly queue_name!: string;

  @ResponseString()
  readonly environment_id!: string;

  @ResponseString()
  readonly environment_name!: string;

  @ResponseString({
    enum: WORKER_STATUSES,
    description:
      'Status. `active`, `idle`, `busy`: as the worker reports; `stale`: no heartbeat for three intervals; `disconnected`: ended',
  })
  readonly status!: string;

  @ResponseString({ nullable: true })
  readonly hostname!: string | null;

  @ResponseString({ nullable: true, description: 'Name of the runner to which the worker belongs; null without one' })
  readonly runner_name!: string | null;

  @ResponseObject()
  readonly worker_metadata!: JsonObject;

  @ResponseStringList({ nullable: true, description: 'Ids of all runtimes that the worker has; null if unknown' })
  readonly runtimes!: readonly string[] | null;

  @ResponseStringList({
    nullable: true,
    description: 'Types of the built-in skills that the worker offers; null if unknown',
  })
  readonly skills!: readonly string[] | null;

  @ResponseTime()
  readonly last_heartbeat_at!: string;

  @ResponseTime({ nullable: true })
  readonly disconnected_at!: string | null;

  @ResponseString({ nullable: true, description: 'Reason of the disconnect; null while connected' })
  readonly reason!: string | null;

  @ResponseInteger({ nullable: true })
  readonly exit_code!: number | null;

  @ResponseString({ nullable: true, description: 'Error with which the worker ended; null without one' })
  readonly error_message!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

export class StartedWorkerResponse {
  @ResponseString()
  readonly worker_id!: string;

  @ResponseString({ description: 'Worker queue id' })
  readonly task_queue_name!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'URL at which the worker reaches the control plane' })
  readonly control_plane_url!: string;

  @ResponseInteger({ description: 'Seconds between heartbeats, 10 to 300' })
  readonly heartbeat_interval!: number;

  @ResponseString()
  readonly queue_name!: string;

  @ResponseString()
  readonly environment_name!: string;

  @ResponseString({
    nullable: true,
    description: 'URL of the OpenAI-compatible model gateway; null if none is configured',
  })
  readonly llm_gateway_url!: string | null;

  @ResponseString({
    nullable: true,
    secret: true,
    description: 'API key for the model gateway; null if none is configured',
  })
  readonly llm_gateway_api_key!: string | null;

  @ResponseString({ description: 'Namespace that separates the work of organizations' })
  readonly engine_namespace!: string;

  @ResponseBoolean({ description: 'Whether the worker can receive its commands over a WebSocket' })
  readonly websocket_enabled!: boolean;

  @ResponseString({ nullable: true, description: 'URL of the WebSocket of this worker; null if not enabled' })
  readonly websocket_url!: string | null;
}

const COMMANDS = ['cancel', 'pause', 'resume'] as const satisfies readonly WorkerCommandName[];

export class WorkerCommandResponse {
  @ResponseString({
    enum: COMMANDS,
    description: 'Command for the worker: `cancel`, `pause` or `resume` the execution',
  })
  readonly command!: string;

  @ResponseString()
  readonly execution_id!: string;
}

export class HeartbeatResponse {
  @ResponseString()
  readonly worker_id!: string;

  @ResponseString({ enum: CONNECTED_STATUSES, description: 'Status that the worker reported last' })
  readonly status!: string;

  @ResponseTime()
  readonly last_heartbeat_at!: string;

  @ResponseInteger({ description: 'Seconds between heartbeats, 10 to 300; may differ from the value at registration' })
  readonly heartbeat_interval!: number;

  @ResponseList(WorkerCommandResponse, {
    description:
      'Pending commands. Each is repeated until the execution changes its state, at most for two lease lengths',
  })
  readonly commands!: readonly WorkerCommandResponse[];
}

export class DisconnectedWorkerResponse {
  @ResponseString()
  readonly worker_id!: string;

  @ResponseString({ enum: ['disconnected'], description: 'Always `disconnected`' })
  readonly status!: 'disconnected';

  @ResponseString({ description: 'Reason of the disconnect' })
  readonly reason!: string;

  @ResponseInteger({ nullable: true })
  readonly exit_code!: number | null;

  @ResponseString({ nullable: true, description: 'Error with which the worker ended; null without one' })
  readonly error_message!: string | null;

  @ResponseTime({ description: 'Time of the disconnect' })
  readonly disconnected_at!: string;
}
