import { recordSecretsIn } from './run-record.js';
import type { HttpResponse } from './http.js';

/** Returns request options of the typed client: these path parameters and further options. */
export function at<Path extends object, Others extends object = object>(
  path: Path,
  others?: Others,
): Others & { params: { path: Path } } {
  return { ...(others as Others), params: { path } };
}

/** Returns a response of the typed client with any status, as `call` does; `unwrap` returns the data of a success. */
export async function answerOf(
  request: Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>,
): Promise<HttpResponse> {
  const { data, error, response } = await request;
  const body = data ?? (error === '' ? undefined : error);
  recordSecretsIn(body);
  return { status: response.status, headers: response.headers, body };
}

/** The status and the error code of a refused request. */
export async function refusalOf(request: Parameters<typeof answerOf>[0]): Promise<[number, string | null]> {
  const { status, headers } = await answerOf(request);
  return [status, headers.get('x-error-code')];
}
