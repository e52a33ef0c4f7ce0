/* Declarations for all files of libdmi. */

#ifndef DMI_INTERNAL_H
#define DMI_INTERNAL_H

#define DMI_NO_SHORT_NAMES
#include "dmi_api.h"
#include "dmi_bind.h"

/* CALL is the result of a Go function for the enclosing function, which returns by itself. WAIT is CALL for a function that may wait
   for another thread. */
#define CALL(name, ...) CALL_(GOACP_DMI_WORKS, name, __VA_ARGS__)
#define WAIT(name, ...) CALL_(GOACP_DMI_WAITS, name, __VA_ARGS__)
#define CALL_(how, name, ...)                                                                               \
  (goacp_dmi_enter(__func__, __builtin_extract_return_addr(__builtin_return_address(0)), how) \
       ? goacp_dmi_leave(goacp_dmi_##name(__VA_ARGS__))                                                      \
       : FALSE)


#endif
