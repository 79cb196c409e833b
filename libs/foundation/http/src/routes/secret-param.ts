import { SetMetadata } from '@nestjs/common';

const SECRET_PARAMS = 'route:secret-params';

/** The path parameters are secrets: logs show `…` instead of them. */
export const SecretParams = (...names: string[]): MethodDecorator => SetMetadata(SECRET_PARAMS, names);

export function secretParamsOf(handler: object): readonly string[] {
  return (Reflect.getMetadata(SECRET_PARAMS, handler) as readonly string[] | undefined) ?? [];
}
