export { EntityContextsModule, InheritanceModule } from './entity-contexts.module.js';
export { EntityContextService } from './entity-context.service.js';
export { InheritedVariablesService } from './inherited-variables.service.js';
export { InheritanceService, NOTHING as NO_INHERITANCE, type InheritedByRun } from './inheritance.service.js';
export type { EntityLayers } from './entity-layers.service.js';
export { orderVariableLayers } from './layers.js';
export {
  MAX_CONTEXT_IDS,
  type ContextLayer,
  type ContextLists,
  type ResolvedContext,
  type UpdateContext,
} from './entity-context.types.js';
