// acp_slots.hpp - memory of this rank for single values: the sources of puts, the results of gets and
// atomics, and the keys of look-ups. Programs do not include it.
//
// Transfers need memory that has a global address. Variables of a program have none. So acp::runtime
// allocates a block in the heap of its rank and divides it into slots. To take and to give back a slot is one
// atomic instruction each. Values that are larger than a slot, or find none, get a block of acp_malloc.
#ifndef GOACP_ACP_SLOTS_HPP
#define GOACP_ACP_SLOTS_HPP

#include "acp_error.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace acp {
namespace detail {

// The slots of this process. acp::runtime makes and ends them.
struct slots {
    static constexpr std::size_t count = 64, size = 128;

    std::atomic<std::uint64_t> free{0}; // bit i: slot i is free
    acp_ga_t ga = ACP_GA_NULL;          // of slot 0
    std::byte *base = nullptr;          // the same in this process

    // Allocates the slots. Without room in the heap there are none.
    void begin() noexcept {
        ga = acp_malloc(count * size, acp_rank());
        base = static_cast<std::byte *>(acp_query_address(ga));
        free = ga == ACP_GA_NULL ? 0 : ~std::uint64_t{0};
    }

    // Forgets the slots, whose memory ends with the run.
    void end() noexcept {
        free = 0;
        ga = ACP_GA_NULL;
    }
};

inline slots own_slots;

// Memory of this rank with its two addresses, or nothing. Its destructor gives it back.
class slot {
public:
    slot() = default;
    slot(slot &&other) noexcept : ga_(other.ga_), at_(other.at_) { other.ga_ = ACP_GA_NULL; }
    slot &operator=(slot &&other) noexcept {
        if (this != &other) {
            give();
            ga_ = other.ga_;
            at_ = other.at_;
            other.ga_ = ACP_GA_NULL;
        }
        return *this;
    }
    ~slot() { give(); }

    // Takes memory of n bytes. It allocates a block if n is greater than the size of a slot or all slots are
    // in use.
    static slot take(std::size_t n, std::error_code &ec) noexcept {
        slot taken;
        std::uint64_t free = own_slots.free.load(std::memory_order_relaxed);
        while (n <= slots::size && free != 0) {
            if (own_slots.free.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire)) {
                const std::size_t offset = static_cast<std::size_t>(__builtin_ctzll(free)) * slots::size;
                taken.ga_ = own_slots.ga + offset;
                taken.at_ = own_slots.base + offset;
                ec.clear();
                return taken;
            }
        }
        taken.ga_ = acp_malloc(n, acp_rank());
        if (succeeded(taken.ga_ != ACP_GA_NULL, ec))
            taken.at_ = acp_query_address(taken.ga_);
        return taken;
    }

    static slot take(std::size_t n) {
        std::error_code ec;
        slot taken = take(n, ec);
        require(ec);
        return taken;
    }

    acp_ga_t ga() const noexcept { return ga_; }
    void *at() const noexcept { return at_; }
    explicit operator bool() const noexcept { return ga_ != ACP_GA_NULL; }

private:
    void give() noexcept {
        if (ga_ == ACP_GA_NULL || acp_rank() < 0)
            return;
        const acp_ga_t offset = ga_ - own_slots.ga;
        if (own_slots.ga != ACP_GA_NULL && offset < slots::count * slots::size)
            own_slots.free.fetch_or(std::uint64_t{1} << (offset / slots::size), std::memory_order_release);
        else
            acp_free(ga_);
        ga_ = ACP_GA_NULL;
    }

    acp_ga_t ga_ = ACP_GA_NULL;
    void *at_ = nullptr;
};

// Copies bytes of any rank to a slot, from byte offset on, and waits for them, also if the time of acp_set_timeout is
// over meanwhile: the slot must not be given back before.
inline void fetch(acp_element_t from, const slot &to, std::size_t offset = 0) {
    const acp_handle_t handle = acp_copy(to.ga() + offset, from.ga, from.size, ACP_HANDLE_NULL);
    require(handle != ACP_HANDLE_NULL);
    for (;;) {
        acp_complete(handle);
        if (acp_inquire(handle) == 0)
            return;
        if (last_error() != std::errc::timed_out)
            throw error();
    }
}

} // namespace detail
} // namespace acp

#endif
