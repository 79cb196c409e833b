export { ModelsModule } from './models.module.js';
export { ModelService } from './model.service.js';
export {
  MODEL_TYPES,
  type CreateModel,
  type Model,
  type ModelFilter,
  type ModelOrigin,
  type ModelType,
  type UpdateModel,
} from './model.types.js';
