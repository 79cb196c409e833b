export { WorkflowStep } from './workflow-step.dto.js';
export { toWorkflowFilter, toWorkflowResponse } from './workflow.mapper.js';
export { CreateWorkflowRequest, ListWorkflowsQuery, UpdateWorkflowRequest } from './workflow.request.dto.js';
export { WorkflowResponse } from './workflow.response.dto.js';
