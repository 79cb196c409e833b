import type { Abstract } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';

/**
 * Returns the instances of a class, which may be abstract, among the providers of all modules, in the order of their
 * registration. An instance that is provided under several tokens occurs once. Call it in `onModuleInit` or later,
 * because instances exist only then.
 */
export function discoverProviders<T>(discovery: DiscoveryService, base: Abstract<T>): T[] {
  const instances = discovery.getProviders().map(({ instance }): unknown => instance);
  return [...new Set(instances.filter((instance): instance is T => instance instanceof base))];
}
