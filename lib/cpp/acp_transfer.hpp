// acp_transfer.hpp - copies between memory of any ranks.
//
// A transfer begins at once and returns a future. Its parameter at_order says after which transfers it may
// begin: a future stands for that transfer and all before it.
//
//     acp::future<> data = acp::put(there, mine);          // mine has a global address
//     acp::future<> flag = acp::put(ready, 1, data);       // after the data
//
// Transfers between elements that have global addresses are one call of C, without an allocation.
#ifndef GOACP_ACP_TRANSFER_HPP
#define GOACP_ACP_TRANSFER_HPP

#include "acp_memory.hpp"

#include <cstring>

namespace acp {

template <class T = void> class future;

// When a transfer may begin: at once, or after other transfers of this process. No function of it blocks.
class order {
public:
    // At once. ACP_HANDLE_NULL.
    constexpr order() noexcept = default;
    // After the transfer of the future and all transfers begun before that.
    template <class T> order(const future<T> &after) noexcept : handle_(after.handle()) {}
    // After the transfer of a handle of C and all transfers begun before that.
    constexpr explicit order(acp_handle_t handle) noexcept : handle_(handle) {}

    // After all transfers begun so far. ACP_HANDLE_ALL.
    static constexpr order all() noexcept { return order(ACP_HANDLE_ALL); }
    // Behind the transfer before, if that has the same source and destination ranks; otherwise as all.
    // ACP_HANDLE_CONT.
    static constexpr order next() noexcept { return order(ACP_HANDLE_CONT); }

    // Returns the handle of C.
    constexpr acp_handle_t handle() const noexcept { return handle_; }

private:
    acp_handle_t handle_ = ACP_HANDLE_NULL;
};

// A transfer under way, without a result. The destructor waits for it, so that memory which is declared
// before the future outlives the transfer; detach gives up the wait. An empty future is complete.
template <> class [[nodiscard]] future<void> {
public:
    // Makes an empty future.
    future() noexcept = default;

    // Makes the future of a handle of C. Does not block.
    explicit future(acp_handle_t handle) noexcept : handle_(handle) {}

    // Takes over the transfer of other, which is empty then. Does not block.
    future(future &&other) noexcept
        : handle_(std::exchange(other.handle_, ACP_HANDLE_NULL)), source_(std::move(other.source_)) {}

    // Waits for the transfer of *this, and takes over that of other.
    future &operator=(future &&other) noexcept {
        if (this != &other) {
            finish();
            handle_ = std::exchange(other.handle_, ACP_HANDLE_NULL);
            source_ = std::move(other.source_);
        }
        return *this;
    }

    // Waits for the transfer. Any process. Blocks until the transfer is complete. acp_complete.
    ~future() { finish(); }

    // Waits until this transfer and all before it are complete. A transfer that has failed because a guest of
    // the run is gone counts as complete, and last_error is then ESRCH. Throws error (ETIMEDOUT) if the time
    // of acp_set_timeout is over; it may then be called again. Any process. Blocks until the transfer is
    // complete. acp_complete.
    void wait() {
        std::error_code ec;
        wait(ec);
        detail::require(ec);
    }

    // wait with an error code. acp_complete.
    void wait(std::error_code &ec) noexcept {
        ec.clear();
        if (handle_ == ACP_HANDLE_NULL)
            return;
        if (detail::succeeded(detail::complete(handle_), ec)) {
            handle_ = ACP_HANDLE_NULL;
            source_ = detail::slot();
        }
    }

    // Reports whether this transfer and all before it are complete. Any process. Does not block. acp_inquire.
    bool ready() const noexcept { return handle_ == ACP_HANDLE_NULL || acp_inquire(handle_) == 0; }

    // Gives up the wait: runtime::complete waits for the transfer. A put of values of this process without
    // global addresses has its source in this object; detach waits for it. Any process. Blocks only then.
    void detach() noexcept {
        if (source_)
            finish();
        handle_ = ACP_HANDLE_NULL;
    }

    // Returns the handle of C, ACP_HANDLE_NULL if the transfer has been waited for. Does not block.
    acp_handle_t handle() const noexcept { return handle_; }

private:
    template <class T> friend class future;
    template <class T>
    friend future<void> put(global_ptr<T>, span<const detail::same<T>>, order, std::error_code &) noexcept;

    future(acp_handle_t handle, detail::slot source) noexcept : handle_(handle), source_(std::move(source)) {}

    void finish() noexcept {
        while (handle_ != ACP_HANDLE_NULL && acp_rank() >= 0 && !detail::complete(handle_) &&
               acp_error_number() == static_cast<int>(std::errc::timed_out)) {
        }
        handle_ = ACP_HANDLE_NULL;
        source_ = detail::slot();
    }

    acp_handle_t handle_ = ACP_HANDLE_NULL;
    detail::slot source_;
};

// A transfer under way that fetches a T. The destructor waits for it.
template <class T> class [[nodiscard]] future {
public:
    // Makes an empty future, which has no value.
    future() noexcept = default;

    // Makes the future of a handle and the memory that receives the value. The functions of this interface
    // call it.
    future(acp_handle_t handle, detail::slot to) noexcept : transfer_(handle, std::move(to)) {}

    // Waits, and returns the value. Throws error as wait does. It may be called once. Any process. Blocks
    // until the transfer is complete. acp_complete.
    T get() {
        if (!transfer_.source_)
            throw error(std::errc::invalid_argument, "the future has no value, or no longer");
        std::error_code ec;
        T value = get(ec);
        detail::require(ec);
        return value;
    }

    // get with an error code; without success the value is undefined, and it may be called again.
    // acp_complete.
    T get(std::error_code &ec) noexcept {
        T value{};
        detail::slot from = std::move(transfer_.source_);
        transfer_.wait(ec);
        if (ec)
            transfer_.source_ = std::move(from);
        else if (from)
            std::memcpy(&value, from.at(), sizeof value);
        else
            ec = std::make_error_code(std::errc::invalid_argument);
        return value;
    }

    // Reports whether get would not block. Any process. Does not block. acp_inquire.
    bool ready() const noexcept { return transfer_.ready(); }

    // Returns the handle of C. Does not block.
    acp_handle_t handle() const noexcept { return transfer_.handle(); }

private:
    future<void> transfer_;
};

// Copies n elements from one rank to another. Neither has to be this one. Other transfers must not change the
// source before the copy is complete. Throws error for a null pointer or one of no rank. Any process. Does
// not block, except as acp_copy says. acp_copy.
template <class T>
future<> copy(global_ptr<T> to, global_ptr<const detail::same<T>> from, std::size_t n, order at_order,
              std::error_code &ec) noexcept {
    static_assert(!std::is_const_v<T>, "the destination of a copy is not const");
    const acp_handle_t handle = acp_copy(to.ga(), from.ga(), n * sizeof(T), at_order.handle());
    detail::succeeded(handle != ACP_HANDLE_NULL, ec);
    return future<>(handle);
}

// copy with exceptions. acp_copy.
template <class T>
future<> copy(global_ptr<T> to, global_ptr<const detail::same<T>> from, std::size_t n, order at_order = {}) {
    static_assert(!std::is_const_v<T>, "the destination of a copy is not const");
    const acp_handle_t handle = acp_copy(to.ga(), from.ga(), n * sizeof(T), at_order.handle());
    detail::require(handle != ACP_HANDLE_NULL);
    return future<>(handle);
}

// Copies elements of an allocation, a registration or starter memory of this rank to memory of any rank. The
// elements must not change before the copy is complete. Otherwise as copy. acp_copy.
template <class T>
future<> put(global_ptr<T> to, global_span<const detail::same<T>> from, order at_order,
             std::error_code &ec) noexcept {
    return copy(to, from.data(), from.size(), at_order, ec);
}

// The same with exceptions. acp_copy.
template <class T>
future<> put(global_ptr<T> to, global_span<const detail::same<T>> from, order at_order = {}) {
    return copy(to, from.data(), from.size(), at_order);
}

// Copies elements of any memory of this process to memory of any rank. The elements may change as soon as the
// call has returned: it copies them into the heap of this rank first. Throws error also if that has no room.
// Otherwise as copy. acp_malloc, acp_copy.
template <class T>
future<> put(global_ptr<T> to, span<const detail::same<T>> from, order at_order,
             std::error_code &ec) noexcept {
    const std::size_t bytes = from.size() * sizeof(T);
    static_assert(!std::is_const_v<T>, "the destination of a put is not const");
    detail::slot source = detail::slot::take(bytes, ec);
    if (ec)
        return {};
    if (bytes > 0)
        std::memcpy(source.at(), from.data(), bytes);
    const acp_handle_t handle = acp_copy(to.ga(), source.ga(), bytes, at_order.handle());
    detail::succeeded(handle != ACP_HANDLE_NULL, ec);
    return {handle, std::move(source)};
}

// The same with exceptions. acp_malloc, acp_copy.
template <class T> future<> put(global_ptr<T> to, span<const detail::same<T>> from, order at_order = {}) {
    std::error_code ec;
    future<> f = put(to, from, at_order, ec);
    detail::require(ec);
    return f;
}

// Stores a value in memory of any rank. Otherwise as put of elements of any memory. acp_copy.
template <class T>
future<> put(global_ptr<T> to, const detail::same<T> &value, order at_order, std::error_code &ec) noexcept {
    return put(to, span<const T>(&value, 1), at_order, ec);
}

// The same with exceptions. acp_copy.
template <class T> future<> put(global_ptr<T> to, const detail::same<T> &value, order at_order = {}) {
    return put(to, span<const T>(&value, 1), at_order);
}

// Copies elements of any rank into an allocation, a registration or starter memory of this rank, as many as
// that has. They are there when the future is complete. Otherwise as copy. acp_copy.
template <class T>
future<> get(global_span<std::remove_const_t<T>> to, global_ptr<T> from, order at_order,
             std::error_code &ec) noexcept {
    return copy(to.data(), from, to.size(), at_order, ec);
}

// The same with exceptions. acp_copy.
template <class T>
future<> get(global_span<std::remove_const_t<T>> to, global_ptr<T> from, order at_order = {}) {
    return copy(to.data(), from, to.size(), at_order);
}

// Copies elements of any rank into any memory of this process, as many as that has, through the heap of this
// rank. Throws error also if that has no room. Any process. Blocks until the elements are there. acp_malloc,
// acp_copy, acp_complete.
template <class T>
void get(span<std::remove_const_t<T>> to, global_ptr<T> from, order at_order, std::error_code &ec) noexcept {
    const std::size_t bytes = to.size() * sizeof(T);
    detail::slot copied = detail::slot::take(bytes, ec);
    if (ec)
        return;
    future<> f(acp_copy(copied.ga(), from.ga(), bytes, at_order.handle()));
    if (!detail::succeeded(f.handle() != ACP_HANDLE_NULL, ec))
        return;
    f.wait(ec);
    if (!ec && bytes > 0)
        std::memcpy(to.data(), copied.at(), bytes);
}

// The same with exceptions. acp_malloc, acp_copy, acp_complete.
template <class T> void get(span<std::remove_const_t<T>> to, global_ptr<T> from, order at_order = {}) {
    std::error_code ec;
    get(to, from, at_order, ec);
    detail::require(ec);
}

// Fetches a value of any rank. Otherwise as copy. acp_copy.
template <class T>
future<std::remove_const_t<T>> get(global_ptr<T> from, order at_order, std::error_code &ec) noexcept {
    detail::slot to = detail::slot::take(sizeof(T), ec);
    if (ec)
        return {};
    const acp_handle_t handle = acp_copy(to.ga(), from.ga(), sizeof(T), at_order.handle());
    if (!detail::succeeded(handle != ACP_HANDLE_NULL, ec))
        return {};
    return {handle, std::move(to)};
}

// The same with exceptions. acp_copy.
template <class T> future<std::remove_const_t<T>> get(global_ptr<T> from, order at_order = {}) {
    std::error_code ec;
    auto f = get(from, at_order, ec);
    detail::require(ec);
    return f;
}

} // namespace acp

#endif
