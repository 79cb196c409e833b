export { HttpModule } from './http.module.js';
export { IdempotentAnswers } from './routes/idempotent-answers.js';
export { IDEMPOTENCY_KEY_SECONDS, IdempotencyStore } from './routes/idempotency.store.js';
export { Answers, AnswersList, AnswersNothing, AnswersPage, Idempotent } from './routes/answers.js';
export {
  AnyKey,
  ClientGone,
  CurrentCaller,
  KeyEnd,
  LeaseToken,
  PathRest,
  Public,
  RequireScope,
  type Access,
  type WireRequest,
} from './routes/access.js';
export { LargeBody, UnparsedBody } from './routes/body.interceptor.js';
export { Repeatable, type RepeatableRequest } from './routes/idempotency-key.js';
export { KeyGuard, type KeyAuthority } from './routes/key.guard.js';
export { Summary } from './routes/summary.js';
export { LastEventId } from './routes/last-event-id.js';
export { UuidParam } from './routes/uuid-param.js';
export {
  DEFAULT_PAGE_SIZE,
  DeletedResponse,
  ListQuery,
  mapListed,
  MAX_PAGE_SIZE,
  toPage,
} from './routes/list-query.js';
export type { ErrorBody } from './server/error.filter.js';
export { HotRoute } from './server/fast-route.js';
export { buildDocument } from './server/openapi.js';
export { createServer, startServer, type ServerPlan } from './server/start-server.js';
export type { DescribedError } from './wire/describe-error.js';
export { parseJsonBody } from './wire/body.js';
export { BODY_LIMIT } from './wire/read-body.js';
export { nestedField as NestedField } from './wire/field.js';
export {
  AnyField,
  BooleanField,
  EnumField,
  IntegerField,
  NumberField,
  ObjectField,
  ObjectListField,
  QueryBooleanField,
  QueryIntegerField,
  StringField,
  StringListField,
  TimeField,
  UuidField,
} from './wire/fields.js';
export { OpenObjectField } from './wire/open-object.js';
export { CheckedAsWhole, type WholeCheck } from './wire/whole-check.js';
export {
  OutBoolean,
  OutInteger,
  OutMany,
  OutMap,
  OutNumber,
  OutObject,
  OutObjects,
  OutOne,
  OutString,
  OutStrings,
  OutTime,
} from './wire/response-fields.js';
