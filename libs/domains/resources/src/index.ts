export { ResourcesModule } from './resources.module.js';
export { ResourcesHandlersModule } from './resources.handlers.module.js';
export { IntegrationService } from './integrations/integration.service.js';
export type {
  CreateIntegration,
  Integration,
  IntegrationFilter,
  IntegrationLayer,
  UpdateIntegration,
} from './integrations/integration.types.js';
export { KnowledgeService } from './knowledge/knowledge.service.js';
export {
  knowledgeFaults,
  MAX_CONTENT_BYTES,
  type CreateKnowledge,
  type KnowledgeEntry,
  type KnowledgeFilter,
  type KnowledgeSummary,
  type NamedKnowledge,
  type UpdateKnowledge,
} from './knowledge/knowledge.types.js';
export { SecretService } from './secrets/secret.service.js';
export { secretIn, type ResolvedSecrets, type Secret } from './secrets/secret.types.js';
