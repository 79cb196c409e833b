export { toExecutionResponse } from './execution.mapper.js';
export { missingParametersNotice, notifyMissingParameters } from './missing-parameters.js';
export { ExecutionResponse } from './execution.response.dto.js';
