import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { declarePlace } from '../errors/invalid-request.js';
import { checkPathParameter } from '../fields/path-parameter.js';
import { describedMethod } from './described-method.js';

const pathRest = createParamDecorator((name: string, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<{ params: Record<string, string | string[]> }>();
  const rest = params[name] ?? '';
  return checkPathParameter(Array.isArray(rest) ? rest.join('/') : rest);
});

/**
 * Injects the rest of the path as one text, for names that contain slashes. Faults of commands in `field` are located in
 * the path.
 */
export const PathRest =
  (name: string, description: string, field?: string): ParameterDecorator =>
  (target, method, index) => {
    if (field !== undefined) declarePlace(field, 'path', name);
    pathRest(name)(target, method, index);
    ApiParam({ name, description, schema: { type: 'string' } })(target, ...describedMethod(target, method));
  };
