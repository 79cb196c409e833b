// The model gateway for development and tests. Listens on loopback only. Environment: MODEL_GATEWAY_PORT (0 or unset:
// a free port), MODEL_GATEWAY_API_KEY (unset: no key is required).
import type { AddressInfo } from 'node:net';
import { onShutdownSignals } from '@app/kernel';
import { createModelGateway } from './server.js';

const port = Number(process.env['MODEL_GATEWAY_PORT'] ?? 0);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error('MODEL_GATEWAY_PORT must be a port number from 0 to 65535');
  process.exit(1);
}

const gateway = createModelGateway({ apiKey: process.env['MODEL_GATEWAY_API_KEY'] || null });
gateway.on('error', (error: NodeJS.ErrnoException) => {
  const reason = error.code === 'EADDRINUSE' ? `port ${port} is already in use` : error.message;
  console.error(`model gateway cannot listen: ${reason}`);
  process.exit(1);
});
gateway.listen(port, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(gateway.address() as AddressInfo).port}`);
});

onShutdownSignals({
  stop: () => {
    gateway.close();
    gateway.closeAllConnections();
  },
  force: () => process.exit(1),
});
