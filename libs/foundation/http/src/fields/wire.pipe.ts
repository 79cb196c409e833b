import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { checkPathParameter } from './path-parameter.js';
import { parseWire } from './parse.js';

const PLAIN_TYPES: readonly unknown[] = [String, Number, Boolean, Array, Object];

/** Parses every body and query by its request class, and rejects path parameters that no identifier can equal. */
@Injectable()
export class WirePipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'param') return typeof value === 'string' ? checkPathParameter(value) : value;
    if (type === 'custom' || !isWireClass(metatype)) return value;
    return parseWire(metatype, value, type);
  }
}

/** Returns whether this is a request class, into which values can be parsed. */
export function isWireClass(metatype: unknown): metatype is new () => object {
  return metatype !== undefined && !PLAIN_TYPES.includes(metatype);
}
