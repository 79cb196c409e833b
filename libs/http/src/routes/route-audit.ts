import { Injectable, RequestMethod, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { accessOf } from './access.js';
import { summaryOf } from './summary.js';

const METHOD_METADATA = 'method';

export interface AuditedRoute {
  readonly controller: new (...args: never[]) => object;
  readonly instance: object;
  readonly methodName: string;
  readonly handler: (...args: unknown[]) => unknown;
  readonly httpMethod: string;
}

/**
 * Refuses to start an application in which some route does not say itself who may call it, or what it does. A class can not say for
 * its routes who may call them: the next one would get that access without anybody having asked who may call it.
 */
@Injectable()
export class RouteAudit implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onApplicationBootstrap(): void {
    const routes = this.routes();
    refuse(routes, '@RequireScope, @AnyKey or @Public', ({ handler }) => accessOf(handler) === undefined);
    refuse(routes, '@Summary', ({ handler }) => (summaryOf(handler) ?? '').trim() === '');
  }

  routes(): AuditedRoute[] {
    return this.discovery.getControllers().flatMap((wrapper) => {
      const instance = wrapper.instance as Record<string, unknown> | null;
      if (instance === null || typeof wrapper.metatype !== 'function') return [];
      const prototype = Object.getPrototypeOf(instance) as object;
      return this.scanner.getAllMethodNames(prototype).flatMap((methodName) => {
        const handler = instance[methodName] as AuditedRoute['handler'];
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (method === undefined) return [];
        const controller = wrapper.metatype as AuditedRoute['controller'];
        return [{ controller, instance, methodName, handler, httpMethod: RequestMethod[method] }];
      });
    });
  }
}

function refuse(routes: readonly AuditedRoute[], what: string, lacks: (route: AuditedRoute) => boolean): void {
  const names = routes.filter(lacks).map(({ controller, methodName }) => `${controller.name}.${methodName}`);
  if (names.length > 0) throw new Error(`Routes without ${what}: ${names.join(', ')}`);
}
