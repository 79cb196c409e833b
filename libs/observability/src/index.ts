export { createLogger, type Logger } from './logger.js';
export { NestLogger } from './nest-logger.js';
export {
  currentContext,
  noteExecution,
  runInContext,
  traceIdFrom,
  traceparentOf,
  type RequestContext,
} from './request-context.js';
