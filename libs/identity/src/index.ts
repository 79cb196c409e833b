export { generateKey } from './api-key-format.js';
export { BootstrapService } from './bootstrap.service.js';
export { IdentityHandlersModule } from './identity.handlers.module.js';
export { IdentityModule } from './identity.module.js';
export { ageOf, endOf, unknownScopeFaults } from './key-rules.js';
export { KeyAuthenticator } from './key-authenticator.js';
export { KeyChangeService } from './key-change.service.js';
export { KeyRevocationService } from './key-revocation.service.js';
export { KeyService } from './key.service.js';
export { OperatorService } from './operator.service.js';
export { StreamTickets, type StreamTicket } from './stream-tickets.js';
export { OrganizationService, type CreatedOrganization } from './organization.service.js';
export { UserDeletionService } from './user-deletion.service.js';
export { UserService } from './user.service.js';
export {
  USER_STATUSES,
  type CreateUser,
  type UpdateUser,
  type User,
  type UserFilter,
  type UserStatus,
} from './user.types.js';
export type { ApiKeyRecord, MintedKey, MintKey, Organization, UpdateKey } from './identity.types.js';
