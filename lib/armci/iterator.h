/* The name of armci_iterator.h in other implementations of ARMCI. */
#include "armci_iterator.h"
