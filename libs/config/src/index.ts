export { checkConfig, ConfigError, describeConfig, EnvVar, loadConfig, type ConfigClass } from './env-var.js';
export { provideConfig } from './config.provider.js';
export { address, decimal, flag, headerSecret, integer, oneOf, origin, port, text } from './parsers.js';
export {
  ControlPlaneConfig,
  CrossOriginConfig,
  DatabaseConfig,
  DispatchConfig,
  IdentityConfig,
  LogConfig,
  MigrationConfig,
  ModelGatewayConfig,
  PlatformApiConfig,
  RedisConfig,
  ShutdownConfig,
} from './platform.config.js';
export { OpaConfig, PolicyConfig } from './policy.config.js';
export { reachableUrl } from './reachable-url.js';
