// acp_slots.hpp - memory of this rank for single values: the sources of puts, the results of gets and
// atomics, and the keys of look-ups. Programs do not include it.
//
// Transfers need memory that has a global address. Variables of a program have none. So acp::runtime
// allocates a block in the heap of its rank and divides it into slots. A thread keeps the slot that it has
// given back last, and takes it again without an atomic instruction. Values that are larger than a slot get a
// block of acp_malloc.
#ifndef GOACP_ACP_SLOTS_HPP
#define GOACP_ACP_SLOTS_HPP

#include "acp_error.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace acp {
namespace detail {

// Memory of this rank with its two addresses, or nothing. It is three whole words: a copy of another number of bytes is
// made of two stores that overlap, and the next load waits for both.
struct piece {
    acp_ga_t ga = ACP_GA_NULL;
    void *at = nullptr;
    std::uint32_t run = 0;   // in which it was taken: it ends with that
    std::uint32_t small = 0; // 1 if it has the size of a slot
};
static_assert(sizeof(piece) == 24, "no byte of a piece is padding");

// The slots of this process. acp::runtime makes and ends them.
struct slots {
    static constexpr std::size_t count = 64, size = 256;

    std::atomic<std::uint64_t> free{0}; // bit i: slot i is free
    acp_ga_t ga = ACP_GA_NULL;          // of slot 0
    std::byte *base = nullptr;          // the same in this process
    std::uint32_t run = 0;              // changes when memory that was taken ends

    // Allocates the slots. Without room in the heap there are none. The block begins at the start of a page. On processors
    // of AMD an insert into a map takes a fifth longer if its key lies in the first 64 bytes of some pages, so slot 0 lies
    // behind them.
    void begin() noexcept {
        run++;
        const acp_ga_t block = acp_malloc((count + 1) * size, acp_rank());
        ga = block == ACP_GA_NULL ? ACP_GA_NULL : block + size;
        base = static_cast<std::byte *>(acp_query_address(ga));
        free = ga == ACP_GA_NULL ? 0 : ~std::uint64_t{0};
    }

    // Forgets the slots, whose memory ends with the run.
    void end() noexcept {
        run++;
        free = 0;
        ga = ACP_GA_NULL;
    }

    // Takes a slot, or a block of n bytes at least.
    piece take(std::size_t n) noexcept {
        piece taken{ACP_GA_NULL, nullptr, run, n <= size ? 1U : 0U};
        std::uint64_t left = free.load(std::memory_order_relaxed);
        while (taken.small != 0 && left != 0) {
            if (free.compare_exchange_weak(left, left & (left - 1), std::memory_order_acquire)) {
                const std::size_t offset = static_cast<std::size_t>(__builtin_ctzll(left)) * size;
                taken.ga = ga + offset;
                taken.at = base + offset;
                return taken;
            }
        }
        taken.ga = acp_malloc(taken.small != 0 ? size : n, acp_rank());
        if (taken.ga != ACP_GA_NULL)
            taken.at = acp_query_address(taken.ga);
        return taken;
    }

    // Takes back what take has returned, unless it has ended with its run.
    void give(const piece &back) noexcept {
        if (back.run != run || acp_rank() < 0)
            return;
        const acp_ga_t offset = back.ga - ga;
        if (ga != ACP_GA_NULL && offset < count * size)
            free.fetch_or(std::uint64_t{1} << (offset / size), std::memory_order_release);
        else
            acp_free(back.ga);
    }
};

inline slots own_slots;

// The small piece that a thread has given back last. It has no constructor that runs and no destructor, so an access
// needs no check. The piece is written only if it changes: a load soon after a store waits for it.
struct kept_piece {
    // Whether the thread may take the piece. One that is away has another owner by now; one that is lent comes back.
    enum class state : unsigned char { away, free, lent };

    piece is;
    state now = state::away;
    bool watched = false; // a kept_piece_end gives it back
    bool ended = false;   // the thread keeps nothing any more
};

inline thread_local kept_piece kept;

// Gives the piece of a thread back when the thread ends.
struct kept_piece_end {
    ~kept_piece_end() {
        kept.ended = true;
        kept.watched = false;
        if (kept.now == kept_piece::state::free)
            own_slots.give(kept.is);
        kept.now = kept_piece::state::away;
    }
};

// Whether the thread keeps a piece of n bytes that it may take.
inline bool keeps(std::size_t n) noexcept {
    return n <= slots::size && kept.now == kept_piece::state::free && kept.is.run == own_slots.run;
}

// Memory of this rank, or nothing. Its destructor gives it back.
class slot {
public:
    slot() = default;
    slot(slot &&other) noexcept : is_(other.is_) { other.is_.ga = ACP_GA_NULL; }
    slot &operator=(slot &&other) noexcept {
        if (this != &other) {
            give();
            is_ = other.is_;
            other.is_.ga = ACP_GA_NULL;
        }
        return *this;
    }
    ~slot() { give(); }

    // Takes memory of n bytes.
    static slot take(std::size_t n, std::error_code &ec) noexcept {
        slot taken(n);
        succeeded(static_cast<bool>(taken), ec);
        return taken;
    }

    static slot take(std::size_t n) {
        slot taken(n);
        require(static_cast<bool>(taken));
        return taken;
    }

    acp_ga_t ga() const noexcept { return is_.ga; }
    void *at() const noexcept { return is_.at; }
    explicit operator bool() const noexcept { return is_.ga != ACP_GA_NULL; }

    // Gives up the memory, which adopt makes a slot again.
    piece release() noexcept {
        const piece released = is_;
        is_.ga = ACP_GA_NULL;
        return released;
    }

    static slot adopt(const piece &released) noexcept {
        slot adopted;
        adopted.is_ = released;
        return adopted;
    }

private:
    explicit slot(std::size_t n) noexcept {
        if (keeps(n)) {
            is_ = kept.is;
            kept.now = kept_piece::state::away;
        } else {
            is_ = own_slots.take(n);
        }
    }

    void give() noexcept {
        if (is_.ga == ACP_GA_NULL)
            return;
        const bool vacant = kept.watched && (kept.now == kept_piece::state::away ||
                                             (kept.now == kept_piece::state::free && kept.is.run != own_slots.run));
        if (vacant && is_.small != 0 && is_.run == own_slots.run) {
            if (kept.is.ga != is_.ga || kept.is.run != is_.run)
                kept.is = is_;
            kept.now = kept_piece::state::free;
        } else {
            give_first();
        }
        is_.ga = ACP_GA_NULL;
    }

    // Gives memory back that the thread does not keep, or that is the first that it keeps.
    void give_first() noexcept {
        own_slots.give(is_);
        if (kept.ended)
            return;
        static thread_local kept_piece_end at_end;
        static_cast<void>(at_end);
        kept.watched = true;
    }

    piece is_;
};

// Memory of this rank for the time of one call: the piece that the thread keeps stays where it is, or else a slot. Its
// destructor gives it back.
class loan {
public:
    [[gnu::always_inline]] explicit loan(std::size_t n) : lent_(keeps(n)) {
        if (lent_) {
            kept.now = kept_piece::state::lent;
            is_.ga = kept.is.ga;
            is_.at = kept.is.at;
        } else {
            is_ = take(n);
        }
    }
    loan(const loan &) = delete;
    loan &operator=(const loan &) = delete;
    [[gnu::always_inline]] ~loan() {
        if (lent_)
            kept.now = kept_piece::state::free;
        else
            give(is_);
    }

    acp_ga_t ga() const noexcept { return is_.ga; }
    void *at() const noexcept { return is_.at; }

private:
    // Functions of their own, which get no pointer to the object: its members stay in registers.
    [[gnu::noinline]] static piece take(std::size_t n) { return slot::take(n).release(); }
    [[gnu::noinline]] static void give(piece back) noexcept { slot::adopt(back); }

    bool lent_; // the piece is that of the thread
    piece is_;
};

// Waits for the transfer of a handle, and returns whether it is complete: the time of acp_set_timeout may be over before.
// The question at first is one call for a transfer that is complete already, as most are on one host.
inline bool complete(acp_handle_t handle) noexcept {
    if (acp_inquire(handle) == 0)
        return true;
    acp_complete(handle);
    return acp_inquire(handle) == 0;
}

// Copies bytes of any rank to a slot, from byte offset on, and waits for them, also if the time of acp_set_timeout is
// over meanwhile: the slot must not be given back before.
inline void fetch(acp_element_t from, const slot &to, std::size_t offset = 0) {
    const acp_handle_t handle = acp_copy(to.ga() + offset, from.ga, from.size, ACP_HANDLE_NULL);
    require(handle != ACP_HANDLE_NULL);
    while (!complete(handle)) {
        if (last_error() != std::errc::timed_out)
            throw error();
    }
}

} // namespace detail
} // namespace acp

#endif
