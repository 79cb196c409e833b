import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { declarePlace } from '../errors/invalid-request.js';
import type { WireRequest } from '../wire/wire-request.js';
import { describedMethod } from './described-method.js';

const textHeader = createParamDecorator((name: string, context: ExecutionContext): string | null => {
  const sent = context.switchToHttp().getRequest<WireRequest>().headers[name];
  return typeof sent === 'string' && sent !== '' ? sent : null;
});

export interface TextHeaderOptions {
  readonly description: string;
  /** The field of commands with the value: its faults are located in the header. */
  readonly field: string;
}

/** Injects the value of an optional header; `null` if it is missing or empty. */
export const TextHeader =
  (name: string, { description, field }: TextHeaderOptions): ParameterDecorator =>
  (target, method, index) => {
    textHeader(name.toLowerCase())(target, method, index);
    declarePlace(field, 'header', name);
    ApiHeader({ name, required: false, description, schema: { type: 'string' } })(
      target,
      ...describedMethod(target, method),
    );
  };
