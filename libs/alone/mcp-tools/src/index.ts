export { ExposedWorkflows } from './exposed-workflows.js';
export { createWorkflowServer, type WorkflowServerOptions } from './workflow-server.js';
export { checkedKey, simpleMode, type CallIdentity, type IdentityOf } from './identity.js';
export { runAdmitted } from './admitted-call.js';
export { CallFault, type CallOutcome } from './call-fault.js';
export { scopesOf, type ToolScope } from './scopes.js';
export type { CallProblem, CallRecord, CallWatch } from './call-watch.js';
export { PlatformForCaller, type PlatformEndpoint } from './platform-for-caller.js';
export { serveOverStdio, type StdioOptions } from './stdio.js';
