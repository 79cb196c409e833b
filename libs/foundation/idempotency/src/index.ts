export { IdempotencyModule } from './idempotency.module.js';
export {
  IDEMPOTENCY_KEY_SECONDS,
  IdempotencyStore,
  type IdempotentRequest,
  type IdempotentResponse,
} from './idempotency.store.js';
