import { EnvVar } from './env-var.js';
import { oneOf } from './parsers.js';

/** Log level of every process. */
export class LogConfig {
  @EnvVar('LOG_LEVEL', oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), {
    default: 'info',
    doc: 'Minimum level of logged messages.',
  })
  readonly level!: string;
}
