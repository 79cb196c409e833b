import type { LoggerService } from '@nestjs/common';
import { createLogger } from './logger.js';

/** Writes the messages of Nest to the log of the process, start-up messages at debug level. */
export class NestLogger implements LoggerService {
  private readonly logger = createLogger('framework');

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ context: rest.at(-1) }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ context: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const err = message instanceof Error ? message : undefined;
    this.logger.error({ err, context: rest.at(-1) }, err === undefined ? String(message) : err.message);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal({ context: rest.at(-1) }, String(message));
  }
}
