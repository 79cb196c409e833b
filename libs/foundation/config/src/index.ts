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
export { parseDatabaseUrl, readPem, type DatabaseHost, type DatabaseUrl } from './database-url.js';
export { DatabaseConfig, MigrationConfig } from './database.config.js';
export { certificatesOf, RedisConfig, type RedisCertificates } from './redis.config.js';
export { parseRedisUrl, type RedisNode, type RedisTarget } from './redis-url.js';
export { ControlPlaneConfig } from './control-plane.config.js';
export { PlatformApiConfig } from './platform-api.config.js';
export { CrossOriginConfig, ProxyConfig, ShutdownConfig } from './server.config.js';
export { IdentityConfig } from './identity.config.js';
export { ModelGatewayConfig, ModelCatalogueConfig } from './models.config.js';
export { ProvisioningConfig } from './provisioning.config.js';
export { DispatchConfig } from './dispatch.config.js';
export { LogConfig } from './log.config.js';
export {
  FairShareConfig,
  MAX_RATE_LIMIT,
  RateLimitConfig,
  ResponseConfig,
  StreamConfig,
  WebSocketConfig,
} from './limits.config.js';
export { OpaConfig, PolicyConfig } from './policy.config.js';
export { RetentionConfig, retentionLimit } from './retention.config.js';
export { SecretsConfig } from './secrets.config.js';
export { NatsConfig } from './nats.config.js';
export { parseNatsUrl } from './nats-url.js';
export { reachableUrl } from './reachable-url.js';
export { ToolServerConfig, ToolServerIdentityConfig } from './tool-server.config.js';
export { TracingConfig } from './tracing.config.js';
export { WebhooksConfig } from './webhooks.config.js';
export { hideEnvironment, removeVariables } from './hide-environment.js';
export { SERVER_PLACE, serverPlace } from './server-place.js';
