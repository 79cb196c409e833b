export { createLogger, type Logger } from './logger.js';
export { NestLogger } from './nest-logger.js';
export { warnOfNodeVersion } from './node-support.js';
export {
  currentContext,
  noteExecution,
  noteOrganization,
  runInContext,
  traceIdFrom,
  traceparentOf,
  type RequestContext,
} from './request-context.js';
