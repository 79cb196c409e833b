/**
 * Counts the work inside values (comparing, encoding), which have no access to the meter. A unit is about one step. The
 * meter of the running evaluation adds the count at the next step. Evaluations are synchronous, so only one runs at a
 * time.
 */
export const effort = { units: 0 };
