/* The message layer of ARMCI, by the name that programs know. */
#include "armci_msg.h"
