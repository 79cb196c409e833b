import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { checkPathParameter } from '../routes/access.js';
import { parseWire } from './parse.js';

const PLAIN_TYPES: readonly unknown[] = [String, Number, Boolean, Array, Object];

/** Parses every body and query by its request class, and refuses path parameters no identifier can equal. */
@Injectable()
export class WirePipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    return parseArgument(type, metatype, value);
  }
}

export function parseArgument(
  type: ArgumentMetadata['type'],
  metatype: ArgumentMetadata['metatype'],
  value: unknown,
): unknown {
  if (type === 'param') return typeof value === 'string' ? checkPathParameter(value) : value;
  if (type === 'custom' || !isWireClass(metatype)) return value;
  return parseWire(metatype, value, type);
}

/** Whether this is a request class, by which values are parsed. */
export function isWireClass(metatype: unknown): metatype is new () => object {
  return metatype !== undefined && !PLAIN_TYPES.includes(metatype);
}
