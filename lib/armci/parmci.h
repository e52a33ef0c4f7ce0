/* The names for profilers are declared in armci.h. */
#ifndef PARMCI_H
#define PARMCI_H
#include "armci.h"
#endif
