export { stepFaults } from './step-faults.js';
export { outputIn, parametersIn, usesOf } from './step-uses.js';
export {
  conditionsIn,
  MAX_STEPS,
  operatorsOf,
  runnableOf,
  STEP_TYPES,
  type StepType,
  type UncheckedStep,
} from './workflow-step.js';
