export { RerunsModule } from './reruns.module.js';
export { RerunService } from './rerun.service.js';
export { BulkExecutionService } from './bulk-execution.service.js';
export { BULK_ACTIONS, type BulkAction, type BulkOutcome } from './rerun.types.js';
