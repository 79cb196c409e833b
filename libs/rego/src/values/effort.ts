/**
 * Work inside values (comparing, encoding), which have no access to the meter, in units of about one step. The meter of
 * the running evaluation adds it at its next step. Evaluations are synchronous, so only one is running at a time.
 */
export const effort = { units: 0 };
