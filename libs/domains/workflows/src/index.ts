export { WorkflowsModule } from './workflows.module.js';
export { WorkflowService } from './workflow.service.js';
export { AssembledWorkflow } from './workflow.source.js';
export {
  WORKFLOW_STATUSES,
  type Workflow,
  type WorkflowFilter,
  type WorkflowStatus,
  type WorkflowVersion,
} from './workflow.types.js';
