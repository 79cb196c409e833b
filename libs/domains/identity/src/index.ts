export { generateKey } from './keys/api-key-format.js';
export { BootstrapService } from './organizations/bootstrap.service.js';
export { IdentityHandlersModule } from './identity.handlers.module.js';
export { IdentityModule } from './identity.module.js';
export { ageOf, endOf, unknownScopeFaults } from './keys/key-rules.js';
export { KeyAuthenticator } from './authentication/key-authenticator.js';
export { KeyService } from './keys/key.service.js';
export { OperatorService } from './organizations/operator.service.js';
export { StreamTickets, type StreamTicket } from './authentication/stream-tickets.js';
export { OrganizationService, type CreatedOrganization } from './organizations/organization.service.js';
export { UserDeletionService } from './users/user-deletion.service.js';
export { UserService } from './users/user.service.js';
export {
  USER_STATUSES,
  type CreateUser,
  type UpdateUser,
  type User,
  type UserFilter,
  type UserStatus,
} from './users/user.types.js';
export type { ApiKeyRecord, MintedKey, MintKey, UpdateKey } from './keys/key.types.js';
export type { Organization } from './organizations/organization.types.js';
