export { HttpModule, type ApiOptions } from './http.module.js';
export { CommitsWithResponse } from './routes/commits-with-response.js';
export { EntityTag, type IsKnownVersion } from './routes/entity-tag.js';
export type { PageText } from './routes/list.interceptor.js';
export { LongRead } from './routes/long-read.js';
export { IdempotentResponses } from './idempotency/idempotent-responses.js';
export { Returns, ReturnsList, ReturnsNoContent, ReturnsPage, type ResponseHeaders } from './routes/returns.js';
export { Idempotent, NaturallyIdempotent } from './idempotency/idempotent.js';
export { AnyKey, checkAccess, Public, RequireScope, type Access } from './access/access.js';
export { ClientClosedSignal, CurrentCaller, KeyEndedSignal } from './access/caller.decorators.js';
export { PathRest } from './routes/path-rest.js';
export type { WireRequest } from './wire/wire-request.js';
export { LargeBody, RawBody } from './bodies/body.interceptor.js';
export {
  FileBody,
  ReturnsFile,
  reserveFile,
  reserveLargeResponse,
  sendFile,
  type SentFile,
} from './bodies/file-body.js';
export { Repeatable, type RepeatableRequest } from './idempotency/idempotency-key.js';
export { KeyGuard, type KeyAuthority } from './access/key.guard.js';
export { OTHER_API, type OtherApi } from './access/other-api.js';
export { SecretParams } from './routes/secret-param.js';
export { RevisedResource } from './routes/revised-resource.js';
export { Summary } from './routes/summary.js';
export { LastEventId } from './streams/last-event-id.js';
export { TextHeader, type TextHeaderOptions } from './routes/text-header.js';
export { addNotice, isPrintable, Notify } from './wire/notices.js';
export { UuidParam } from './routes/uuid-param.js';
export {
  CursorField,
  CursorQuery,
  DEFAULT_PAGE_SIZE,
  DeletedResponse,
  ListQuery,
  mapPage,
  mapPageAsync,
  MAX_PAGE_SIZE,
  NamedListQuery,
  NameFilterField,
  startsOnce,
  toCursor,
  toNameFilter,
  toPage,
} from './routes/list-query.js';
export { ERROR_FORMAT, ErrorFilter, renderError, type ErrorFormat, type RenderedError } from './errors/error.filter.js';
export { sendBytes, sendJson } from './wire/send-json.js';
export { HotRoute } from './fast-path/fast-route.js';
export { asksForPage } from './openapi/docs-redirect.js';
export { buildDocument } from './openapi/openapi.js';
export type { HeaderDescription } from './openapi/openapi-headers.js';
export { isSignedByServer, signatureOfServer } from './server/server-processes.js';
export { createServer, startServer, type ServerPlan } from './server/start-server.js';
export { describeError, type DescribedError } from './errors/describe-error.js';
export { errorCatalogue, type ErrorCode } from './errors/error-codes.js';
export { HttpProblem } from './errors/http-problem.js';
export { InvalidRequest, locateFaults } from './errors/invalid-request.js';
export { parseJsonOrFormBody } from './bodies/body.js';
export { ForbidUnknownFields } from './fields/ignored-fields.js';
export { BODY_LIMIT } from './bodies/body-bounds.js';
export { clientAddressOf } from './access/client-address.js';
export { nestedField as NestedField, UNCHANGED } from './fields/field.js';
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
  QueryListField,
  StringField,
  StringListField,
  StringOrListField,
  TimeField,
  UuidField,
} from './fields/fields.js';
export { SseResponse } from './streams/sse-response.js';
export { AcceptedWebSocket } from './streams/accepted-web-socket.js';
export { WebSocketSink } from './streams/web-socket-sink.js';
export { OpensWebSocket, WebSocketRequest, type ConnectionClass } from './streams/web-socket-request.js';
export { OpenObjectField, OpenObjectListField } from './fields/open-object.js';
export { SeparateListField, type Separate } from './fields/separate-list.js';
export { PatchOf } from './fields/patch-of.js';
export { ValidateObject, type ObjectRule } from './fields/validate-object.js';
export {
  OpenResponse,
  ResponseAny,
  ResponseBoolean,
  ResponseInteger,
  ResponseList,
  ResponseMap,
  ResponseNumber,
  ResponseObject,
  ResponseObjectList,
  ResponseOpenObjectList,
  ResponseNested,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from './fields/response-fields.js';
