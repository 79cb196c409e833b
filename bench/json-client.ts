import { Agent, request } from 'node:http';

export type Send = <T>(
  method: string,
  path: string,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<T>;

/**
 * JSON over keep-alive connections of plain Node http, which needs less CPU in the measuring process than `fetch`.
 * Rejects if the response is not a success.
 */
export function jsonClient(url: string, common: Readonly<Record<string, string>> = {}): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  return <T>(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const data = JSON.stringify(body);
      const length = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(data) };
      const outgoing = request(
        url + path,
        { method, agent, headers: { ...common, ...length, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const status = response.statusCode ?? 0;
            if (status < 300) resolve(JSON.parse(text) as T);
            else reject(new Error(`${method} ${path} returned ${status}: ${text.slice(0, 300)}`));
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(data);
    });
}
