export { requestCancel } from './cancel-request.js';
export { ChosenClient, choiceOf, configOf, openClient, type ChosenClientConfig } from './chosen-client.js';
export { ConnectionRefused } from './connection-failure.js';
export { leadsToPooler } from './pooler.js';
export { serverAddress, type ServerAddress } from './server-address.js';
export type { ServerChoice } from './server-choice.js';
