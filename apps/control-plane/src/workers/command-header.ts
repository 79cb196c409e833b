import type { ServerResponse } from 'node:http';
import type { WorkerCommand } from '@app/executions';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { toWorkerCommandResponses } from './worker.mapper.js';

/** Commands as JSON, for responses without a body field for them. Sent only if commands are pending. */
export const COMMANDS_HEADER = 'X-Worker-Commands';

/** Only the newest commands are sent, because HTTP clients reject long headers. Heartbeats return all. */
const MAX_COMMANDS = 40;

export type SetCommands = (commands: readonly WorkerCommand[]) => void;

/** Injects a function that sets the header on the response. */
export const CommandHeader = createParamDecorator((_data: unknown, context: ExecutionContext): SetCommands => {
  const response = context.switchToHttp().getResponse<ServerResponse>();
  return (commands) => {
    if (commands.length === 0 || response.headersSent) return;
    response.setHeader(COMMANDS_HEADER, JSON.stringify(toWorkerCommandResponses(commands.slice(-MAX_COMMANDS))));
  };
});
