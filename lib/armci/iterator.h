/* Other packages have a header of this name, too. */
#include "armci_iterator.h"
