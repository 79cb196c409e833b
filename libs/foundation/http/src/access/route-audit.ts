import { Injectable, RequestMethod, type OnApplicationBootstrap } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { accessOf } from './access.js';
import { summaryOf } from '../routes/summary.js';

export interface AuditedRoute {
  readonly controller: new (...args: never[]) => object;
  readonly instance: object;
  readonly methodName: string;
  readonly handler: (...args: unknown[]) => unknown;
  readonly httpMethod: string;
}

/**
 * Prevents the start of an application with a route that declares no access or no summary. A declaration on the class
 * does not count: a new route would inherit it without a decision about who may call it.
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
