import type { DisconnectedWorker, StartedWorker, Worker, WorkerFilter } from '@app/environments';
import type { WorkerCommand } from '@app/executions';
import { toWireTime, withoutUndefined } from '@app/kernel';
import type { ConnectedHeartbeat, Poll } from '@app/orchestration';
import { POLL, type ListWorkersQuery, type PollRequest } from './dto/worker.request.dto.js';
import type {
  DisconnectedWorkerResponse,
  HeartbeatResponse,
  StartedWorkerResponse,
  WorkerCommandResponse,
  WorkerResponse,
} from './dto/worker.response.dto.js';
import type { WorkerConnectionInfo } from './worker-connection-info.js';

export function toWorkerResponse(worker: Worker): WorkerResponse {
  return {
    id: worker.id,
    organization_id: worker.organization_id,
    worker_queue_id: worker.worker_queue_id,
    queue_name: worker.queue_name,
    environment_id: worker.environment_id,
    environment_name: worker.environment_name,
    status: worker.status,
    hostname: worker.hostname,
    runner_name: worker.runner_name,
    worker_metadata: worker.worker_metadata,
    runtimes: worker.runtimes,
    skills: worker.skills,
    last_heartbeat_at: toWireTime(worker.last_heartbeat_at),
    disconnected_at: toWireTime(worker.disconnected_at),
    reason: worker.reason,
    exit_code: worker.exit_code,
    error_message: worker.error_message,
    created_at: toWireTime(worker.created_at),
    updated_at: toWireTime(worker.updated_at),
  };
}

export function toWorkerFilter({ status, worker_queue_id, runner_name }: ListWorkersQuery): WorkerFilter {
  return withoutUndefined({ status, worker_queue_id, runner_name });
}

export function toStartedWorkerResponse(
  started: StartedWorker,
  connectionInfo: Pick<WorkerConnectionInfo, 'controlPlaneUrl' | 'gatewayUrl' | 'gatewayApiKey' | 'webSocketUrlOf'>,
): StartedWorkerResponse {
  const webSocketUrl = connectionInfo.webSocketUrlOf(started.worker_id);
  return {
    worker_id: started.worker_id,
    task_queue_name: started.worker_queue_id,
    organization_id: started.organization_id,
    control_plane_url: connectionInfo.controlPlaneUrl,
    heartbeat_interval: started.heartbeat_interval,
    queue_name: started.queue_name,
    environment_name: started.environment_name,
    llm_gateway_url: connectionInfo.gatewayUrl,
    llm_gateway_api_key: connectionInfo.gatewayApiKey,
    engine_namespace: started.organization_id,
    websocket_enabled: webSocketUrl !== null,
    websocket_url: webSocketUrl,
  };
}

export function toHeartbeatResponse(heartbeat: ConnectedHeartbeat): HeartbeatResponse {
  return {
    worker_id: heartbeat.worker_id,
    status: heartbeat.status,
    last_heartbeat_at: toWireTime(heartbeat.last_heartbeat_at),
    heartbeat_interval: heartbeat.heartbeat_interval,
    commands: toWorkerCommandResponses(heartbeat.commands),
  };
}

export function toWorkerCommandResponses(commands: readonly WorkerCommand[]): WorkerCommandResponse[] {
  return commands.map(({ command, execution_id }) => ({ command, execution_id }));
}

export function toDisconnectedWorkerResponse(worker: DisconnectedWorker): DisconnectedWorkerResponse {
  return {
    worker_id: worker.worker_id,
    status: 'disconnected',
    reason: worker.reason,
    exit_code: worker.exit_code,
    error_message: worker.error_message,
    disconnected_at: toWireTime(worker.disconnected_at),
  };
}

export function toPollWindow(request: PollRequest): Pick<Poll<unknown>, 'max' | 'waitMs'> {
  const { max = POLL.max, wait_seconds: seconds = POLL.wait_seconds } = request;
  return { max, waitMs: seconds * 1000 };
}
