import type { ExecutionFile } from '@app/executions';
import { toWireTime } from '@app/kernel';
import type { ExecutionFileResponse } from './dto/execution-file.dto.js';

export function toExecutionFileResponse(file: ExecutionFile): ExecutionFileResponse {
  return {
    name: file.name,
    size: file.size,
    content_type: file.content_type,
    created_at: toWireTime(file.created_at),
  };
}
