// acp_sequence.hpp - what vectors and deques have in common. Programs do not include it.
#ifndef GOACP_ACP_SEQUENCE_HPP
#define GOACP_ACP_SEQUENCE_HPP

#include "acp_slots.hpp"
#include "acp_span.hpp"
#include "acp_structure.hpp"

#include <cstring>
#include <limits>
#include <optional>

namespace acp {
namespace detail {

// Elements as bytes that follow each other on one rank. H is the handle of C.
template <class H> class sequence : public structure<H> {
public:
    using structure<H>::structure;

protected:
    // Gives elements to a function of C that inserts them at an end.
    template <class T> void push(int (*many)(H, const acp_element_t *, int), span<const T> values) {
        const std::size_t bytes = values.size() * sizeof(T);
        if (bytes == 0)
            return;
        const slot source = slot::take(bytes);
        std::memcpy(source.at(), values.data(), bytes);
        const acp_element_t element{source.ga(), bytes};
        require(many(this->handle_, &element, 1) == 0);
    }

    // Returns the element that a function of C removes at an end, or nothing if there is none.
    template <class T> std::optional<T> pop(std::int64_t (*many)(H, const acp_element_t *, int)) {
        const slot to = slot::take(sizeof(T));
        const acp_element_t element{to.ga(), sizeof(T)};
        const std::int64_t got = many(this->handle_, &element, 1);
        require(got >= 0);
        if (got == 0)
            return std::nullopt;
        if (static_cast<std::size_t>(got) != sizeof(T))
            throw error(std::errc::bad_message, "the number of bytes is not that of the type");
        T value{};
        std::memcpy(&value, to.at(), sizeof value);
        return value;
    }

    // Returns the position of element i in bytes, or -1 if no sequence has so many.
    template <class T> static int offset(std::size_t i) noexcept {
        const std::size_t most = static_cast<std::size_t>(std::numeric_limits<int>::max()) / sizeof(T);
        return i < most ? static_cast<int>(i * sizeof(T)) : -1;
    }
};

} // namespace detail
} // namespace acp

#endif
