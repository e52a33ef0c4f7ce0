// Calls from C into Go. C stores the function that the program called, and its arguments, for the
// line about a call that fails.

#ifndef GOACP_CALL_H
#define GOACP_CALL_H

#include "acp.h"
#include "process.h"
#include "signals.h"

// One argument. The form determines how Go reads it, see GOACP_FORM_.
struct goacp_argument {
  const char *name; // NULL after the last
  const char *form;
  const void *value;
};

struct goacp_call {
  const char *function;
  const struct goacp_argument *arguments;
  int ends; // of ARMCI: the function cannot return an error, so an error ends the run
};

// The function of acp.h in which this thread has called Go. It is valid until Go returns. Go reads
// it only if the function fails.
extern __thread const struct goacp_call *goacp_called
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// The name of that function, which stays valid after Go has returned. Go reads it when it is about
// to sleep, also below a test that calls Go without these macros.
extern __thread const char *goacp_function
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// Where the program has called that function: its return address. It is read as goacp_function is.
extern __thread const void *goacp_site
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// The return address of the enclosing function.
#define GOACP_SITE_ __builtin_extract_return_addr(__builtin_return_address(0))

// d is an int, l a long, w a uint32_t, u a uint64_t, f a float, g a double, x a global address, p a
// pointer. Braces enclose the members of a struct.
#define GOACP_FORM_(x)                                                         \
  _Generic((x),                                                                \
      int: "d",                                                                \
      long: "l",                                                               \
      float: "f",                                                              \
      double: "g",                                                             \
      uint32_t: "w",                                                           \
      uint64_t: "u",                                                           \
      acp_element_t: "{xu}",                                                   \
      acp_pair_t: "{{xu}{xu}}",                                                \
      acp_vector_t: "x",                                                       \
      acp_deque_t: "x",                                                        \
      acp_list_t: "x",                                                         \
      acp_vector_it_t: "{xd}",                                                 \
      acp_deque_it_t: "{xd}",                                                  \
      acp_list_it_t: "{xx}",                                                   \
      acp_set_t: "{xuu}",                                                      \
      acp_multiset_t: "{xuu}",                                                 \
      acp_map_t: "{xuu}",                                                      \
      acp_set_it_t: "{{xuu}ddx}",                                              \
      acp_multiset_it_t: "{{xuu}ddx}",                                         \
      acp_map_it_t: "{{xuu}ddx}",                                              \
      default: "p")

// The argument is copied, so that functions keep it in a register where they do not call Go.
#define GOACP_ARGUMENT_(x)                                                     \
  { #x, GOACP_FORM_(x), (const void *)(__typeof__(x)[1]){x} }

#define GOACP_ARGUMENTS1_(a) GOACP_ARGUMENT_(a)
#define GOACP_ARGUMENTS2_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS1_(__VA_ARGS__)
#define GOACP_ARGUMENTS3_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS2_(__VA_ARGS__)
#define GOACP_ARGUMENTS4_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS3_(__VA_ARGS__)
#define GOACP_ARGUMENTS5_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS4_(__VA_ARGS__)
#define GOACP_ARGUMENTS6_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS5_(__VA_ARGS__)
#define GOACP_ARGUMENTS7_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS6_(__VA_ARGS__)
#define GOACP_ARGUMENTS8_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS7_(__VA_ARGS__)
#define GOACP_ARGUMENTS9_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS8_(__VA_ARGS__)
#define GOACP_ARGUMENTS10_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS9_(__VA_ARGS__)
#define GOACP_ARGUMENTS11_(a, ...) GOACP_ARGUMENT_(a), GOACP_ARGUMENTS10_(__VA_ARGS__)
#define GOACP_TWELFTH_(a, b, c, d, e, f, g, h, i, j, k, l, ...) l
#define GOACP_ARGUMENTS_(...)                                                  \
  GOACP_TWELFTH_(__VA_ARGS__, GOACP_ARGUMENTS11_, GOACP_ARGUMENTS10_,          \
                 GOACP_ARGUMENTS9_, GOACP_ARGUMENTS8_, GOACP_ARGUMENTS7_,      \
                 GOACP_ARGUMENTS6_, GOACP_ARGUMENTS5_, GOACP_ARGUMENTS4_,      \
                 GOACP_ARGUMENTS3_, GOACP_ARGUMENTS2_, GOACP_ARGUMENTS1_, )    \
  (__VA_ARGS__)

// goacp_enter_go is goacp_enter before a call into Go.
static inline void goacp_enter_go(const char *function) {
  goacp_enter(function);
  goacp_ready_for_signals();
}

#define GOACP_CALLED_(caller, ...)                                             \
  (goacp_enter_go(caller), goacp_function = (caller),                          \
   goacp_called = &(struct goacp_call){                                        \
       .function = goacp_function,                                             \
       .arguments = (const struct goacp_argument[]){__VA_ARGS__}})

// A function that calls Go for a function of acp.h, which calls it by BY_GO.
#define GOACP_RARE static __attribute__((noinline))
#define BY_GO(call) (goacp_site = GOACP_SITE_, (call))

// C calls Go only by these macros. NAME is the Go function without its goacp_. All except GO_FOR
// and GO_ENTERED are used in the function that the program calls.

// Called by a function without parameters.
#define GO0(name)                                                              \
  (goacp_site = GOACP_SITE_, GOACP_CALLED_(__func__, {0}), goacp_##name())

// Called by a function whose parameters, which follow, Go gets as they are.
#define GO(name, ...) GO_WITH(name, (__VA_ARGS__), __VA_ARGS__)

// The arguments for Go are in parentheses. The parameters of the calling function follow.
#define GO_WITH(name, gets, ...)                                               \
  (goacp_site = GOACP_SITE_, GO_FOR(__func__, name, gets, __VA_ARGS__))

// The same for a FUNCTION other than the enclosing function, with the address of the call in the
// program.
//
// The call takes space on the stack. Functions that usually finish in C therefore make it in a
// separate GOACP_RARE function.
#define GO_FOR(function, name, gets, ...)                                      \
  (GOACP_CALLED_(function, GOACP_ARGUMENTS_(__VA_ARGS__), {0}),                \
   goacp_##name gets)

// Called for a function of libdmi, which has called goacp_dmi_enter.
#define GO_ENTERED(name, ...) goacp_##name(__VA_ARGS__)

#endif
