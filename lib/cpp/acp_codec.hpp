// acp_codec.hpp - values as byte strings, for channels, maps and sets.
#ifndef GOACP_ACP_CODEC_HPP
#define GOACP_ACP_CODEC_HPP

#include "acp_error.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

namespace acp {

// How a T becomes a byte string and back. Trivially copyable types are their bytes, padding included: a key
// with padding is equal to another one only if the padding is. Programs may specialise codec for types of
// their own, with the same members. No function of it blocks.
template <class T> struct codec {
    static_assert(std::is_trivially_copyable_v<T>, "acp::codec needs a specialisation for this type");

    // The number of bytes of every value, or 0 if values differ in it.
    static constexpr std::size_t fixed = sizeof(T);

    // Returns the number of bytes of a value.
    static std::size_t size(const T &) noexcept { return sizeof(T); }
    // Writes the bytes of a value.
    static void write(const T &value, void *to) noexcept { std::memcpy(to, &value, sizeof value); }
    // Returns the value of n bytes. Throws error (bad_message) if no value has so many.
    static T read(const void *from, std::size_t n) {
        if (n != sizeof(T))
            throw error(std::errc::bad_message, "the number of bytes is not that of the type");
        T value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
};

// A string is its characters, without a zero behind them. Maps and sets accept no empty strings.
template <> struct codec<std::string> {
    static constexpr std::size_t fixed = 0;
    // As those of other types. A string may have any number of bytes.
    static std::size_t size(const std::string &value) noexcept { return value.size(); }
    static void write(const std::string &value, void *to) noexcept {
        if (!value.empty())
            std::memcpy(to, value.data(), value.size());
    }
    static std::string read(const void *from, std::size_t n) {
        return n > 0 ? std::string(static_cast<const char *>(from), n) : std::string();
    }
};

} // namespace acp

#endif
