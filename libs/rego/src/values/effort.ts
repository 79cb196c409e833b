/**
 * Work done inside values (comparing, encoding), where no meter is at hand; in units of about one step. The meter of the
 * running evaluation takes it over at its next step: evaluations are synchronous, so there is only one.
 */
export const effort = { units: 0 };
