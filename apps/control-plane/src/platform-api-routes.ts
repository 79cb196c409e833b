/** Generated from the OpenAPI documents: the routes of the platform-api that the control-plane lacks. */
export const PLATFORM_API_ROUTES: readonly string[] = [
  'DELETE /api/v1/auth/keys/{key_id}',
  'DELETE /api/v1/users/{id}',
  'GET /api/v1/auth/keys',
  'GET /api/v1/auth/me',
  'GET /api/v1/auth/validate',
  'GET /api/v1/tasks',
  'GET /api/v1/tasks/{id}',
  'GET /api/v1/users',
  'GET /api/v1/users/{id}',
  'PATCH /api/v1/auth/keys/{key_id}',
  'PATCH /api/v1/users/{id}',
  'POST /api/v1/auth/keys',
  'POST /api/v1/auth/keys/{key_id}/rotate',
  'POST /api/v1/tasks',
  'POST /api/v1/users',
];
