// The pages that the calling thread of DMI has used last.

#ifndef GOACP_DMI_FOUND_H
#define GOACP_DMI_FOUND_H

#include "layout.h"

enum { GOACP_DMI_FOUND_BITS = 7, GOACP_DMI_FOUND_PAGES = 1 << GOACP_DMI_FOUND_BITS };

// The GOACP_DMI_FOUND_PAGES places for pages of the calling thread, which is in a function of DMI; NULL if that may wait for
// another thread, or without memory for them. Only this thread uses them.
struct goacp_dmi_found *goacp_dmi_found(void) __attribute__((visibility("hidden")));

#endif
