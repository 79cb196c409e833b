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
export {
  changedBy,
  grants,
  KEY_SCOPES,
  type Caller,
  type ChangedBy,
  type KeyScope,
  type RateLimits,
  type Scope,
} from './scope.js';
export { entityKeyOf, parseEntityType, parseEntityTypeOrPlural, type EntityRef } from './entity-ref.js';
export { distinctBy } from './distinct-by.js';
export { pageOf, type NameFilter, type PageResult, type Page } from './page.js';
export { placeholdersIn } from './placeholders.js';
export { decodeCursor, encodeCursor, invalidCursor, type CursorKeys } from './cursor.js';
export {
  changedMeanwhile,
  conflict,
  DomainError,
  FAULT_TYPES,
  idempotencyKeyReused,
  invalid,
  MAX_FAULTS,
  keyMissing,
  notFound,
  throttled,
  unavailable,
  type Fault,
  type FaultType,
} from './errors.js';
export { ERROR_CATALOGUE, type CataloguedError, type DomainErrorCode, type ErrorKind } from './error-catalogue.js';
export { EMAIL_MEANS, EMAIL_PATTERN } from './email-form.js';
export { endsInHalf, headOf } from './head-of.js';
export { getRequired } from './get-required.js';
export { FairQueue } from './fair-queue.js';
export { HeldPlaces } from './held-places.js';
export { SECRET_PREFIX } from './secret-prefix.js';
export { LookupLimiter, type Origin } from './lookup-limiter.js';
export { ExactNumber, mapNumbers, nearestDouble, parseExactJson } from './exact-json.js';
export { isJsonObject, type JsonObject } from './json.js';
export {
  ENVIRONMENT_SECRETS,
  HIDDEN_VALUE,
  INTEGRATION_SECRETS,
  mayHideSecrets,
  MCP_SERVER_SECRETS,
  presentSecrets,
  PROJECT_SECRETS,
  rejectHiddenSecrets,
  restoreSecrets,
  type SecretPlaces,
} from './stored-secrets.js';
export { newSigningSecret } from './signing-secret.js';
export { TokenBuckets, type BucketSize } from './token-buckets.js';
export { onShutdownSignals, type ShutdownActions } from './shutdown-signals.js';
export { withoutUndefined, type Patch } from './patch.js';
export { VERSION } from './version.js';
