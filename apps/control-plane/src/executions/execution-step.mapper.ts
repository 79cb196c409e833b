import type { ExecutionStep, SaveStep } from '@app/executions';
import { toWireTime } from '@app/kernel';
import type { ExecutionStepResponse, ReportedStepRequest } from './dto/execution-step.dto.js';

export function toExecutionStepResponse(step: ExecutionStep): ExecutionStepResponse {
  return {
    name: step.name,
    type: step.type,
    status: step.status,
    attempt: step.attempt,
    output: step.output,
    error_message: step.error_message,
    started_at: toWireTime(step.started_at),
    completed_at: toWireTime(step.completed_at),
    duration_ms: step.duration_ms,
    usage: step.usage,
  };
}

export function toSaveStep(report: ReportedStepRequest): SaveStep {
  return {
    name: report.name,
    status: report.status,
    attempt: report.attempt ?? 0,
    output: report.output ?? null,
    error_message: report.error_message ?? null,
    started_at: report.started_at ?? null,
    completed_at: report.completed_at ?? null,
    usage: report.usage ?? {},
  };
}
