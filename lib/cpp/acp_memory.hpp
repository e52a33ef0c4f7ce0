// acp_memory.hpp - pointers to memory of any rank, and memory that has global addresses.
#ifndef GOACP_ACP_MEMORY_HPP
#define GOACP_ACP_MEMORY_HPP

#include "acp_span.hpp"
#include "acp_slots.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace acp {

// A pointer to a T on any rank. It has the size of acp_ga_t, may be copied to other ranks as bytes, and has
// the arithmetic of pointers. T is trivially copyable. A pointer to a T converts to a pointer to a const T.
template <class T> class global_ptr {
    static_assert(std::is_trivially_copyable_v<T>, "transfers copy the bytes of values");

public:
    using element_type = T;
    using difference_type = std::ptrdiff_t;

    // Makes the null pointer.
    constexpr global_ptr() noexcept = default;
    constexpr global_ptr(std::nullptr_t) noexcept {}

    // Makes a pointer of a global address of C.
    constexpr explicit global_ptr(acp_ga_t ga) noexcept : ga_(ga) {}

    // Converts a pointer to a T to a pointer to a const T.
    template <class U, std::enable_if_t<std::is_same_v<const U, T> && !std::is_same_v<U, T>, int> = 0>
    constexpr global_ptr(global_ptr<U> other) noexcept : ga_(other.ga()) {}

    // Returns the global address of C, ACP_GA_NULL for the null pointer. Does not block.
    constexpr acp_ga_t ga() const noexcept { return ga_; }

    // Reports whether the pointer is not null. Does not block.
    constexpr explicit operator bool() const noexcept { return ga_ != ACP_GA_NULL; }

    // Returns the rank that has the memory, or -1 for the null pointer. Any process. Does not block.
    // acp_query_rank.
    int rank() const noexcept { return acp_query_rank(ga_); }

    // Returns the color of the memory, or -1 for the null pointer. Any process. Does not block.
    // acp_query_color.
    int color() const noexcept { return acp_query_color(ga_); }

    // Returns the address in this process, or nullptr if the memory is of another rank. Any process. Does not
    // block. acp_query_address.
    T *local() const noexcept { return static_cast<T *>(acp_query_address(ga_)); }

    // Returns a pointer to the same byte with another type. Does not block.
    template <class U> constexpr global_ptr<U> cast() const noexcept { return global_ptr<U>(ga_); }

    // Arithmetic in elements, as that of pointers. It stays in the region of the pointer, which is not
    // checked.
    constexpr global_ptr &operator+=(std::ptrdiff_t n) noexcept {
        ga_ += static_cast<acp_ga_t>(n) * sizeof(T);
        return *this;
    }
    constexpr global_ptr &operator-=(std::ptrdiff_t n) noexcept {
        ga_ -= static_cast<acp_ga_t>(n) * sizeof(T);
        return *this;
    }
    constexpr global_ptr &operator++() noexcept { return *this += 1; }
    constexpr global_ptr &operator--() noexcept { return *this -= 1; }
    constexpr global_ptr operator++(int) noexcept { return std::exchange(*this, *this + 1); }
    constexpr global_ptr operator--(int) noexcept { return std::exchange(*this, *this - 1); }

    // Returns the pointer to the element i. Does not block.
    constexpr global_ptr operator[](std::ptrdiff_t i) const noexcept { return *this + i; }

    friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) noexcept { return p += n; }
    friend constexpr global_ptr operator+(std::ptrdiff_t n, global_ptr p) noexcept { return p += n; }
    friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) noexcept { return p -= n; }
    friend constexpr std::ptrdiff_t operator-(global_ptr p, global_ptr q) noexcept {
        return static_cast<std::ptrdiff_t>(p.ga_ - q.ga_) / static_cast<std::ptrdiff_t>(sizeof(T));
    }
    // Comparisons. Those by < order the elements of one region.
    friend constexpr bool operator==(global_ptr p, global_ptr q) noexcept { return p.ga_ == q.ga_; }
    friend constexpr bool operator!=(global_ptr p, global_ptr q) noexcept { return p.ga_ != q.ga_; }
    friend constexpr bool operator<(global_ptr p, global_ptr q) noexcept { return p.ga_ < q.ga_; }
    friend constexpr bool operator<=(global_ptr p, global_ptr q) noexcept { return p.ga_ <= q.ga_; }
    friend constexpr bool operator>(global_ptr p, global_ptr q) noexcept { return p.ga_ > q.ga_; }
    friend constexpr bool operator>=(global_ptr p, global_ptr q) noexcept { return p.ga_ >= q.ga_; }

private:
    acp_ga_t ga_ = ACP_GA_NULL;
};

// Returns a pointer to the starter memory of rank, or the null pointer if there is no such rank. Any process.
// Does not block. acp_query_starter_ga.
template <class T = std::byte> global_ptr<T> starter(int rank) noexcept {
    return global_ptr<T>(acp_query_starter_ga(rank));
}

// Elements that follow each other in memory of any rank. It does not own them. No function of it blocks.
template <class T> class global_span {
public:
    using element_type = T;

    // Makes a span without elements.
    constexpr global_span() noexcept = default;
    // Makes a span of size elements.
    constexpr global_span(global_ptr<T> data, std::size_t size) noexcept : data_(data), size_(size) {}
    // Converts a span of T to a span of const T.
    template <class U, std::enable_if_t<std::is_same_v<const U, T> && !std::is_same_v<U, T>, int> = 0>
    constexpr global_span(global_span<U> other) noexcept : data_(other.data()), size_(other.size()) {}

    // Returns the pointer to the first element.
    constexpr global_ptr<T> data() const noexcept { return data_; }
    // Returns the number of elements.
    constexpr std::size_t size() const noexcept { return size_; }
    // Returns the pointer to element i. It does not check i.
    constexpr global_ptr<T> operator[](std::size_t i) const noexcept {
        return data_ + static_cast<std::ptrdiff_t>(i);
    }
    // Returns the first n elements. It does not check n.
    constexpr global_span first(std::size_t n) const noexcept { return {data_, n}; }
    // Returns n elements from element i on. It does not check i and n.
    constexpr global_span subspan(std::size_t i, std::size_t n) const noexcept { return {(*this)[i], n}; }

private:
    global_ptr<T> data_;
    std::size_t size_ = 0;
};

// A block of count elements in the heap of a rank, which the destructor frees. Any rank may make it for any
// rank. The elements are undefined at first. Futures of transfers of the block end before it does.
template <class T> class allocation {
    static_assert(!std::is_const_v<T>, "an allocation begins without values");

public:
    // Makes no block.
    allocation() noexcept = default;

    // Allocates the block. Throws error if there is no such rank or its heap is full. Any process. Blocks for
    // one round trip, or none on one host. acp_malloc.
    allocation(std::size_t count, int rank) {
        std::error_code ec;
        *this = allocation(count, rank, ec);
        detail::require(ec);
    }

    // Allocates the block, with an error code. acp_malloc.
    allocation(std::size_t count, int rank, std::error_code &ec) noexcept {
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
        data_ = global_ptr<T>(acp_malloc(count <= most / sizeof(T) ? count * sizeof(T) : most, rank));
        size_ = detail::succeeded(static_cast<bool>(data_), ec) ? count : 0;
    }

    // Takes over the block of other, which has none then, or that of *this. Does not block.
    allocation(allocation &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    allocation &operator=(allocation &&other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }

    // Frees the block. Any process. Blocks for one round trip, or none on one host. acp_free.
    ~allocation() {
        if (data_ && acp_rank() >= 0)
            acp_free(data_.ga());
    }

    // Returns the pointer to the first element. Does not block.
    global_ptr<T> data() const noexcept { return data_; }
    // Returns the number of elements. Does not block.
    std::size_t size() const noexcept { return size_; }
    // Returns the pointer to element i. It does not check i. Does not block.
    global_ptr<T> operator[](std::size_t i) const noexcept { return data_ + static_cast<std::ptrdiff_t>(i); }
    // Returns the first element in this process, or nullptr if the block is of another rank. Does not block.
    // acp_query_address.
    T *local() const noexcept { return data_.local(); }
    // Returns all elements. Does not block.
    operator global_span<T>() const noexcept { return {data_, size_}; }
    operator global_span<const T>() const noexcept { return {data_, size_}; }
    // Gives up the block without freeing it. Does not block.
    global_ptr<T> release() noexcept {
        size_ = 0;
        return std::exchange(data_, nullptr);
    }

private:
    global_ptr<T> data_;
    std::size_t size_ = 0;
};

// Memory of the program that all ranks can address, as long as the object exists. The program frees the
// memory after that.
template <class T> class registration {
    static_assert(!std::is_const_v<T>, "other ranks may change registered memory");

public:
    // Registers nothing.
    registration() noexcept = default;

    // Registers memory with a color. Throws error for a wrong color and lack of resources. Any process. Does
    // not block. acp_register_memory, acp_query_ga.
    explicit registration(span<T> memory, int color = 0) {
        std::error_code ec;
        *this = registration(memory, color, ec);
        detail::require(ec);
    }

    // Registers memory, with an error code. acp_register_memory, acp_query_ga.
    registration(span<T> memory, int color, std::error_code &ec) noexcept : memory_(memory) {
        key_ = acp_register_memory(memory.data(), memory.size() * sizeof(T), color);
        if (detail::succeeded(key_ != ACP_ATKEY_NULL, ec))
            data_ = global_ptr<T>(acp_query_ga(key_, memory.data()));
    }

    // Takes over the registration of other, which has none then, or that of *this. Does not block.
    registration(registration &&other) noexcept
        : memory_(other.memory_), key_(std::exchange(other.key_, ACP_ATKEY_NULL)),
          data_(std::exchange(other.data_, nullptr)) {}
    registration &operator=(registration &&other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(key_, other.key_);
        std::swap(data_, other.data_);
        return *this;
    }

    // Completes all transfers of this process, and takes the registration back. Any process. Blocks until
    // accesses under way have ended, milliseconds as a rule. acp_complete, acp_unregister_memory.
    ~registration() {
        if (key_ == ACP_ATKEY_NULL || acp_rank() < 0)
            return;
        acp_complete(ACP_HANDLE_ALL);
        acp_unregister_memory(key_);
    }

    // Returns the key of C. Does not block.
    acp_atkey_t key() const noexcept { return key_; }
    // Returns the pointer to the first element. Does not block.
    global_ptr<T> data() const noexcept { return data_; }
    // Returns the number of elements. Does not block.
    std::size_t size() const noexcept { return memory_.size(); }
    // Returns the pointer to element i. It does not check i. Does not block.
    global_ptr<T> operator[](std::size_t i) const noexcept { return data_ + static_cast<std::ptrdiff_t>(i); }
    // Returns the memory in this process. Does not block.
    span<T> local() const noexcept { return memory_; }
    // Returns all elements. Does not block.
    operator global_span<T>() const noexcept { return {data_, size()}; }
    operator global_span<const T>() const noexcept { return {data_, size()}; }

private:
    span<T> memory_;
    acp_atkey_t key_ = ACP_ATKEY_NULL;
    global_ptr<T> data_;
};

// acp::registration r(values) registers the elements of a vector, an array or another container of contiguous
// elements.
template <class C>
registration(C &memory) -> registration<std::remove_pointer_t<decltype(std::data(memory))>>;

} // namespace acp

#endif
