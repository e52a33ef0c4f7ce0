// Checks of the test programs in C++.

#ifndef CPP_CHECK_H
#define CPP_CHECK_H

#include <acp_error.hpp>

#include <cstdio>
#include <system_error>
#include <unistd.h>

#define CHECK(...) \
    do { \
        if (!(__VA_ARGS__)) { \
            std::fprintf(stderr, "%s:%d: rank %d: %s: %s\n", __FILE__, __LINE__, acp_rank(), #__VA_ARGS__, \
                         acp_error_message()); \
            _exit(1); \
        } \
    } while (0)

// Checks that a call throws an error with a number of std::errc and a text.
#define CHECK_THROWS(call, number) \
    do { \
        bool right = false; \
        try { \
            static_cast<void>(call); \
        } catch (const acp::error &e) { \
            right = e.code() == std::errc::number && *e.what() != '\0'; \
        } \
        CHECK(right && #call); \
    } while (0)

#endif
