// acp_structure.hpp - handles of structures, and objects that own what a handle names.
//
// acp::map, acp::set, acp::multiset, acp::vector, acp::deque and acp::linked_list are handles: copies of a handle
// are the same structure, and acp::broadcast gives it to other ranks. owned destroys what its handle names.
#ifndef GOACP_ACP_STRUCTURE_HPP
#define GOACP_ACP_STRUCTURE_HPP

#include "acp_error.hpp"

#include <utility>

namespace acp {
namespace detail {

// The part that all handles have. H is the handle of C.
template <class H> class structure {
public:
    // Makes a handle of no structure.
    structure() noexcept = default;
    // Makes the handle of a structure of C. Does not block.
    explicit structure(H handle) noexcept : handle_(handle) {}

    // Reports whether the handle is that of a structure. Does not block.
    explicit operator bool() const noexcept { return handle_.ga != ACP_GA_NULL; }

    // Returns the handle of C. Does not block.
    H handle() const noexcept { return handle_; }

protected:
    // Returns the handle that a function of C has made. Throws error if it has made none.
    static H made(H handle) {
        require(handle.ga != ACP_GA_NULL);
        return handle;
    }

    // Returns the handle; this object is a handle of no structure then.
    H release() noexcept { return std::exchange(handle_, H{}); }

    H handle_{};
};

} // namespace detail

// A structure, such as a map or a list, that is destroyed with this object. Only one process owns it.
template <class S> class owned {
public:
    // Takes over what the handle names. Does not block.
    explicit owned(S of) noexcept : of_(of) {}
    // Takes over what other owns, or exchanges it. Does not block.
    owned(owned &&other) noexcept : of_(std::exchange(other.of_, S())) {}
    owned &operator=(owned &&other) noexcept {
        std::swap(of_, other.of_);
        return *this;
    }
    // Destroys it; no rank may use it any more. Any process. Blocks for round trips to other hosts.
    // acp_destroy_map and alike.
    ~owned() {
        if (of_ && acp_rank() >= 0)
            of_.destroy();
    }

    // Returns the handle. Does not block.
    S &operator*() noexcept { return of_; }
    S *operator->() noexcept { return &of_; }

private:
    S of_;
};

} // namespace acp

#endif
