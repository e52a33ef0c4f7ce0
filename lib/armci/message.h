/* The name of armci_msg.h in other implementations of ARMCI. */
#include "armci_msg.h"
