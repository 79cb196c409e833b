import type { ServerResponse } from 'node:http';
import type { WorkerCommand } from '@app/executions';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { toWorkerCommandResponses } from './worker.mapper.js';

/** Commands of an answer whose body has no place for them, as JSON. There only when there are some. */
const HEADER = 'X-Worker-Commands';

/** The newest so many, because HTTP clients refuse an answer whose headers are long. Heartbeats tell them all. */
const MOST = 40;

export type TellCommands = (commands: readonly WorkerCommand[]) => void;

/** Puts commands for the calling worker beside the answer. */
export const CommandHeader = createParamDecorator((_data: unknown, context: ExecutionContext): TellCommands => {
  const response = context.switchToHttp().getResponse<ServerResponse>();
  return (commands) => {
    if (commands.length === 0 || response.headersSent) return;
    response.setHeader(HEADER, JSON.stringify(toWorkerCommandResponses(commands.slice(-MOST))));
  };
});
