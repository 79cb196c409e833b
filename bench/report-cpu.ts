// Preloaded (`node --import`) into every process of the benchmark: reports the CPU time of all threads on request.
// Unlike /proc, this works on every system.
import { replyTo } from './ipc.js';

replyTo('cpu', () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
});
