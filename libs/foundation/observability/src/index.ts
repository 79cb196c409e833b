export { GEN_AI, GEN_AI_OPERATIONS, GEN_AI_PROVIDER } from './gen-ai-names.js';
export { createLogger, type Logger } from './logger.js';
export { NestLogger } from './nest-logger.js';
export { warnOfNodeVersion } from './node-support.js';
export {
  currentContext,
  noteExecution,
  noteOrganization,
  runInContext,
  type RequestContext,
} from './request-context.js';
export {
  derivedSpanId,
  newSpanId,
  traceContextFrom,
  traceIdFrom,
  traceparentOf,
  type TraceContext,
} from './trace-context.js';
