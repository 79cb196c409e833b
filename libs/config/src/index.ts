export {
  checkConfig,
  ConfigError,
  describeConfig,
  EnvVar,
  inheritedVariables,
  loadConfig,
  setEnvironment,
  type ConfigClass,
  type Parser,
} from './env-var.js';
export { provideConfig } from './config.provider.js';
export { address, decimal, flag, headerSecret, integer, listOf, oneOf, origin, port, text } from './parsers.js';
export {
  ControlPlaneConfig,
  CrossOriginConfig,
  DatabaseConfig,
  DispatchConfig,
  IdentityConfig,
  LogConfig,
  MigrationConfig,
  ModelCatalogueConfig,
  ModelGatewayConfig,
  PlatformApiConfig,
  ProxyConfig,
  RedisConfig,
  ShutdownConfig,
} from './platform.config.js';
export { FairShareConfig, MAX_RATE_LIMIT, RateLimitConfig, ResponseConfig, WebSocketConfig } from './limits.config.js';
export { OpaConfig, PolicyConfig } from './policy.config.js';
export { RetentionConfig, retentionLimit } from './retention.config.js';
export { SecretsConfig } from './secrets.config.js';
export { NatsConfig } from './nats.config.js';
export { reachableUrl } from './reachable-url.js';
export { WebhooksConfig } from './webhooks.config.js';
export { hideEnvironment } from './hide-environment.js';
