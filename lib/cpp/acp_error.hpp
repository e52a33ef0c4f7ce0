// acp_error.hpp - failures of the functions of acp.h as exceptions and as values of std::error_code.
//
// Most functions of acp.hpp have two forms. The first throws acp::error. The second has a last parameter
// std::error_code&: it sets it, to success as well, and throws nothing.
#ifndef GOACP_ACP_ERROR_HPP
#define GOACP_ACP_ERROR_HPP

#include <acp.h>

#include <stdexcept>
#include <string>
#include <system_error>

namespace acp {

// Returns the number of the last failure in this thread, in std::generic_category. The result is never
// success: call it after a failure. Any process. Does not block. acp_error_number.
inline std::error_code last_error() noexcept {
    const int number = acp_error_number();
    return number != 0 ? std::error_code(number, std::generic_category())
                       : std::make_error_code(std::errc::io_error);
}

// The exception of all functions of this interface. what() is the text of acp_error_message, and code() the
// number of acp_error_number, so that it compares with the values of std::errc.
class error : public std::runtime_error {
public:
    // Makes the exception of the last failure in this thread. Does not block. acp_error_message,
    // acp_error_number.
    error() : error(last_error()) {}

    // Makes the exception of the last failure in this thread, whose number is code. Does not block.
    // acp_error_message.
    explicit error(std::error_code code) : std::runtime_error(acp_error_message()), code_(code) {}

    // Makes the exception of a failure that this interface has found itself. Does not block.
    error(std::errc code, const char *text) : std::runtime_error(text), code_(std::make_error_code(code)) {}

    // Returns the number of the failure, in std::generic_category. Does not block.
    const std::error_code &code() const noexcept { return code_; }

private:
    std::error_code code_;
};

namespace detail {

// Sets ec to the last failure of this thread, unless the call was a success.
inline bool succeeded(bool success, std::error_code &ec) noexcept {
    ec = success ? std::error_code() : last_error();
    return success;
}

// Throws the last failure of this thread, unless the call was a success.
inline void require(bool success) {
    if (!success)
        throw error();
}

// Throws the failure that the form with std::error_code has set.
inline void require(const std::error_code &ec) {
    if (ec)
        throw error(ec);
}

} // namespace detail
} // namespace acp

#endif
