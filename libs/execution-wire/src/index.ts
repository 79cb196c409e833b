export { toExecutionResponse } from './execution.mapper.js';
export { ExecutionResponse } from './execution.response.dto.js';
