#define _GNU_SOURCE
#include "netcdf4.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// C libraries before glibc 2.34 have dlopen in libdl, which programs need not link.
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlerror

// The types of attributes with text, and the error for no memory, in netcdf.h.
enum { text_type = 2, strings_type = 12, no_memory = -61 };

static struct {
  int (*open)(const char *, int, int *);
  int (*close)(int);
  int (*inq)(int, int *, int *, int *, int *);
  int (*inq_dimids)(int, int *, int *, int);
  int (*inq_dim)(int, int, char *, size_t *);
  int (*inq_var)(int, int, char *, int *, int *, int *, int *);
  int (*inq_attname)(int, int, int, char *);
  int (*inq_att)(int, int, const char *, int *, size_t *);
  int (*get_att_text)(int, int, const char *, char *);
  int (*get_att_double)(int, int, const char *, double *);
  int (*get_att_string)(int, int, const char *, char **);
  int (*free_string)(size_t, char **);
  int (*get_vara_longlong)(int, int, const size_t *, const size_t *, long long *);
  int (*get_vara_double)(int, int, const size_t *, const size_t *, double *);
  const char *(*strerror)(int);
} nc;

// The functions that get and set how HDF5 reports errors in a thread. By default HDF5 prints them. libnetcdf switches that off
// only in the thread that opens the first file. Handles have 64 bits since HDF5 1.10. NULL: libnetcdf is without HDF5.
static struct {
  int (*get)(int64_t, void (**)(void), void **);
  int (*set)(int64_t, void (*)(void), void *);
} hdf5_errors;

// How HDF5 reports errors in the thread before the call of libnetcdf.
struct errors {
  void (*print)(void);
  void *data;
};

static struct errors hush(void) {
  struct errors before = {NULL, NULL};
  if (hdf5_errors.get != NULL && hdf5_errors.set != NULL) {
    hdf5_errors.get(0, &before.print, &before.data);
    hdf5_errors.set(0, NULL, NULL);
  }
  return before;
}

static int end_hush(struct errors before, int number) {
  if (hdf5_errors.get != NULL && hdf5_errors.set != NULL)
    hdf5_errors.set(0, before.print, before.data);
  return number;
}

// Returns the result of a call of libnetcdf during which HDF5 prints nothing.
#define HUSHED(call)                                                                               \
  do {                                                                                             \
    struct errors before_ = hush();                                                                \
    return end_hush(before_, call);                                                                \
  } while (0)

static const struct {
  const char *name;
  void *function;
} functions[] = {
    {"nc_open", &nc.open},
    {"nc_close", &nc.close},
    {"nc_inq", &nc.inq},
    {"nc_inq_dimids", &nc.inq_dimids},
    {"nc_inq_dim", &nc.inq_dim},
    {"nc_inq_var", &nc.inq_var},
    {"nc_inq_attname", &nc.inq_attname},
    {"nc_inq_att", &nc.inq_att},
    {"nc_get_att_text", &nc.get_att_text},
    {"nc_get_att_double", &nc.get_att_double},
    {"nc_get_att_string", &nc.get_att_string},
    {"nc_free_string", &nc.free_string},
    {"nc_get_vara_longlong", &nc.get_vara_longlong},
    {"nc_get_vara_double", &nc.get_vara_double},
    {"nc_strerror", &nc.strerror},
};

// The file names of the library: the one that the package with the headers installs, and those of
// netCDF 4.6 and later. The error names the last one.
static const char *const names[] = {"libnetcdf.so",    "libnetcdf.so.22", "libnetcdf.so.18",
                                    "libnetcdf.so.15", "libnetcdf.so.13", "libnetcdf.so.19"};

enum { name_count = sizeof names / sizeof *names };

// Returns the library that the process has loaded already, or else loads the first of the names that exists.
static void *find_library(void) {
  for (int i = 0; i < name_count; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
    if (library != NULL)
      return library;
  }
  for (int i = 0; i < name_count; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library != NULL)
      return library;
  }
  return NULL;
}

const char *goacp_netcdf_load(void) {
  if (dlopen == NULL)
    return "the program is not linked with libdl";
  void *library = find_library();
  if (library == NULL)
    return dlerror();
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(library, functions[i].name);
    if (function == NULL)
      return dlerror();
    memcpy(functions[i].function, &function, sizeof function);
  }
  void *get = dlsym(library, "H5Eget_auto2"), *set = dlsym(library, "H5Eset_auto2");
  memcpy(&hdf5_errors.get, &get, sizeof get);
  memcpy(&hdf5_errors.set, &set, sizeof set);
  return NULL;
}

const char *goacp_netcdf_text(int number) { return nc.strerror(number); }

int goacp_netcdf_open(const char *path, int *file) { HUSHED(nc.open(path, 0, file)); }

int goacp_netcdf_close(int file) { HUSHED(nc.close(file)); }

int goacp_netcdf_inquire(int file, int *dimensions, int *variables, int *attributes) {
  HUSHED(nc.inq(file, dimensions, variables, attributes, NULL));
}

int goacp_netcdf_dimensions(int file, int *ids) { HUSHED(nc.inq_dimids(file, NULL, ids, 0)); }

int goacp_netcdf_dimension(int file, int id, char *name, size_t *length) {
  HUSHED(nc.inq_dim(file, id, name, length));
}

int goacp_netcdf_variable(int file, int id, char *name, int *type, int *count, int *ids,
                          int *attributes) {
  HUSHED(nc.inq_var(file, id, name, type, count, ids, attributes));
}

int goacp_netcdf_integers(int file, int id, const size_t *start, const size_t *count,
                          long long *into) {
  HUSHED(nc.get_vara_longlong(file, id, start, count, into));
}

int goacp_netcdf_reals(int file, int id, const size_t *start, const size_t *count, double *into) {
  HUSHED(nc.get_vara_double(file, id, start, count, into));
}

// Returns the text of an attribute that is one string.
static int only_string(int file, int variable, const char *name, char **text, size_t *length) {
  char *string = NULL;
  int number = nc.get_att_string(file, variable, name, &string);
  if (number != 0)
    return number;
  *length = string == NULL ? 0 : strlen(string);
  *text = strdup(string == NULL ? "" : string);
  nc.free_string(1, &string);
  return *text == NULL ? no_memory : 0;
}

static int attribute(int file, int variable, int i, char *name, char **text, size_t *length,
                     int *is_number, double *value) {
  int type;
  *text = NULL, *is_number = 0, *value = 0;
  int number = nc.inq_attname(file, variable, i, name);
  if (number == 0)
    number = nc.inq_att(file, variable, name, &type, length);
  if (number != 0)
    return number;
  if (type == strings_type && *length == 1)
    return only_string(file, variable, name, text, length);
  if (type != text_type && type < strings_type && *length == 1) {
    *is_number = 1;
    return nc.get_att_double(file, variable, name, value);
  }
  if (type != text_type)
    return 0;
  *text = malloc(*length + 1);
  if (*text == NULL)
    return no_memory;
  return nc.get_att_text(file, variable, name, *text);
}

int goacp_netcdf_attribute(int file, int variable, int i, char *name, char **text, size_t *length,
                           int *is_number, double *number) {
  HUSHED(attribute(file, variable, i, name, text, length, is_number, number));
}
