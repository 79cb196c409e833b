export { generateKey } from './api-key-format.js';
export { IdentityModule } from './identity.module.js';
export { unknownScopeFaults } from './key-rules.js';
export { KeyService } from './key.service.js';
export { OperatorService } from './operator.service.js';
export { OrganizationService, type CreatedOrganization } from './organization.service.js';
export type { ApiKeyRecord, KeyOwner, MintedKey, MintKey, Organization } from './identity.types.js';
