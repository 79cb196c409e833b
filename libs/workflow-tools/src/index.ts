export { ExposedWorkflows } from './exposed-workflows.js';
export { createWorkflowServer, type WorkflowServerOptions } from './workflow-server.js';
export { simpleMode, type CallIdentity, type IdentityOf } from './identity.js';
export { runAdmitted } from './admitted-call.js';
export { CallFault } from './call-fault.js';
export { scopeOf, type ToolScope } from './scopes.js';
export type { CallOutcome, CallRecord, CallWatch } from './call-watch.js';
export { PlatformForCaller } from './platform-for-caller.js';
export { serveOverStdio, type StdioOptions } from './stdio.js';
