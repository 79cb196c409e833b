export {
  ADDRESSABLE_MEANS,
  ADDRESSABLE_PATTERN,
  EXECUTION_ID_PATTERN,
  isUuid,
  newId,
  newJobId,
  newKeyId,
  randomBase62,
} from './ids.js';
export { chosenKeyFault, hasWrongChecksum, newApiKey } from './api-key-form.js';
export { Clock, SystemClock, toWireTime } from './clock.js';
export { grants, KEY_SCOPES, type Caller, type KeyScope, type Scope } from './scope.js';
export type { Listed, Page } from './page.js';
export {
  conflict,
  DomainError,
  FAULT_TYPES,
  invalid,
  MAX_FAULTS,
  notFound,
  unavailable,
  type ErrorKind,
  type Fault,
  type FaultType,
} from './errors.js';
export { entryOf } from './entry-of.js';
export { isJsonObject, type JsonObject } from './json.js';
export { withoutUndefined, type Patch } from './patch.js';
export { onceGone } from './once-gone.js';
