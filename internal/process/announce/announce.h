// Tells macprun on this host that this process has started. Runs before main; the second call does nothing.
// Waits for the answer, but no longer than answer_limit.
void goacp_announce(void);
