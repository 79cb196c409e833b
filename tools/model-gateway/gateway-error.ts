/** An error response in OpenAI's format: `{"error":{message,type,param,code}}`. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';

  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null,
    readonly param: string | null = null,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }

  body(): { error: { message: string; type: string; param: string | null; code: string | null } } {
    return { error: { message: this.message, type: errorType(this.status), param: this.param, code: this.code } };
  }
}

export function invalidRequest(message: string, param: string | null, code: string | null = null): GatewayError {
  return new GatewayError(400, message, code, param);
}

function errorType(status: number): string {
  if (status === 429) return 'requests';
  if (status >= 500) return 'server_error';
  return 'invalid_request_error';
}
