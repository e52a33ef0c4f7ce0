// The functions of libnetcdf, which is loaded at run time. A function returns 0, or the number of an
// error, as the function of libnetcdf does.
#ifndef GOACP_NETCDF4_H
#define GOACP_NETCDF4_H

#include <stddef.h>

// Limits and numbers of netcdf.h.
#define GOACP_NETCDF_NAME 256
#define GOACP_NETCDF_DIMENSIONS 1024
#define GOACP_NETCDF_GLOBAL -1

// Loads the library. Returns NULL, or why that is not possible. The other functions may be called
// after it has returned NULL.
const char *goacp_netcdf_load(void);

// Returns the text of an error.
const char *goacp_netcdf_text(int number);

int goacp_netcdf_open(const char *path, int *file);
int goacp_netcdf_close(int file);
int goacp_netcdf_inquire(int file, int *dimensions, int *variables, int *attributes);
int goacp_netcdf_dimensions(int file, int *ids);
int goacp_netcdf_dimension(int file, int id, char *name, size_t *length);
int goacp_netcdf_variable(int file, int id, char *name, int *type, int *count, int *ids, int *attributes);
int goacp_netcdf_integers(int file, int id, const size_t *start, const size_t *count, long long *into);
int goacp_netcdf_reals(int file, int id, const size_t *start, const size_t *count, double *into);

// Stores the name of attribute i of a variable, its text, which the caller frees, and its number. The text is
// NULL if the attribute has no text. *is_number is 1 if it has one number, and otherwise 0.
int goacp_netcdf_attribute(int file, int variable, int i, char *name, char **text, size_t *length, int *is_number,
                           double *number);

#endif
