export { ClockModule } from './clock.module.js';
