// acp_atomic.hpp - atomics on values of 4 and 8 bytes of any rank.
//
// They are atomic with respect to each other, and to atomic instructions of processors, except with -net rma.
// The pointer is a multiple of the width. Each returns a future of the value before. Throws error for a null
// pointer, one of no rank and one that is not aligned. Any process. They block as acp_copy does.
#ifndef GOACP_ACP_ATOMIC_HPP
#define GOACP_ACP_ATOMIC_HPP

#include "acp_transfer.hpp"

namespace acp {
namespace detail {

template <class T> using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// The bits of a value as an unsigned number of the same width.
template <class T> word<T> bits(const T &value) noexcept {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics have 4 or 8 bytes");
    word<T> number;
    std::memcpy(&number, &value, sizeof number);
    return number;
}

// Begins the atomic F4 or F8, by the width of T, with operands.
template <auto F4, auto F8, class T, class... Operands>
future<T> atomic(std::error_code &ec, global_ptr<T> at, order at_order,
                 const Operands &...operands) noexcept {
    static_assert(!std::is_const_v<T>, "atomics change the value");
    slot to = slot::take(sizeof(T), ec);
    if (ec)
        return {};
    acp_handle_t handle;
    if constexpr (sizeof(T) == 4)
        handle = F4(to.ga(), at.ga(), bits<T>(operands)..., at_order.handle());
    else
        handle = F8(to.ga(), at.ga(), bits<T>(operands)..., at_order.handle());
    if (!succeeded(handle != ACP_HANDLE_NULL, ec))
        return {};
    return {handle, std::move(to)};
}

template <auto F4, auto F8, class T, class... Operands>
future<T> atomic(global_ptr<T> at, order at_order, const Operands &...operands) {
    std::error_code ec;
    future<T> f = atomic<F4, F8>(ec, at, at_order, operands...);
    require(ec);
    return f;
}

template <class T> using integral = std::enable_if_t<std::is_integral_v<T>, int>;

} // namespace detail

// Adds value to the integer, modulo 2 to the power of its bits. acp_add4, acp_add8.
template <class T, detail::integral<T> = 0>
future<T> fetch_add(global_ptr<T> at, detail::same<T> value, order at_order = {}) {
    return detail::atomic<acp_add4, acp_add8>(at, at_order, value);
}
// The same with an error code. acp_add4, acp_add8.
template <class T, detail::integral<T> = 0>
future<T> fetch_add(global_ptr<T> at, detail::same<T> value, order at_order, std::error_code &ec) noexcept {
    return detail::atomic<acp_add4, acp_add8>(ec, at, at_order, value);
}

// Replaces the integer by its bitwise and with value. acp_and4, acp_and8.
template <class T, detail::integral<T> = 0>
future<T> fetch_and(global_ptr<T> at, detail::same<T> value, order at_order = {}) {
    return detail::atomic<acp_and4, acp_and8>(at, at_order, value);
}
// The same with an error code. acp_and4, acp_and8.
template <class T, detail::integral<T> = 0>
future<T> fetch_and(global_ptr<T> at, detail::same<T> value, order at_order, std::error_code &ec) noexcept {
    return detail::atomic<acp_and4, acp_and8>(ec, at, at_order, value);
}

// Replaces the integer by its bitwise or with value. acp_or4, acp_or8.
template <class T, detail::integral<T> = 0>
future<T> fetch_or(global_ptr<T> at, detail::same<T> value, order at_order = {}) {
    return detail::atomic<acp_or4, acp_or8>(at, at_order, value);
}
// The same with an error code. acp_or4, acp_or8.
template <class T, detail::integral<T> = 0>
future<T> fetch_or(global_ptr<T> at, detail::same<T> value, order at_order, std::error_code &ec) noexcept {
    return detail::atomic<acp_or4, acp_or8>(ec, at, at_order, value);
}

// Replaces the integer by its bitwise exclusive or with value. acp_xor4, acp_xor8.
template <class T, detail::integral<T> = 0>
future<T> fetch_xor(global_ptr<T> at, detail::same<T> value, order at_order = {}) {
    return detail::atomic<acp_xor4, acp_xor8>(at, at_order, value);
}
// The same with an error code. acp_xor4, acp_xor8.
template <class T, detail::integral<T> = 0>
future<T> fetch_xor(global_ptr<T> at, detail::same<T> value, order at_order, std::error_code &ec) noexcept {
    return detail::atomic<acp_xor4, acp_xor8>(ec, at, at_order, value);
}

// Stores value. T may also be a floating-point number or a struct. acp_swap4, acp_swap8.
template <class T> future<T> swap(global_ptr<T> at, detail::same<T> value, order at_order = {}) {
    return detail::atomic<acp_swap4, acp_swap8>(at, at_order, value);
}
// The same with an error code. acp_swap4, acp_swap8.
template <class T>
future<T> swap(global_ptr<T> at, detail::same<T> value, order at_order, std::error_code &ec) noexcept {
    return detail::atomic<acp_swap4, acp_swap8>(ec, at, at_order, value);
}

// Stores value if the bits of the value before are those of expected. T as for swap. acp_cas4, acp_cas8.
template <class T>
future<T> cas(global_ptr<T> at, detail::same<T> expected, detail::same<T> value, order at_order = {}) {
    return detail::atomic<acp_cas4, acp_cas8>(at, at_order, expected, value);
}
// The same with an error code. acp_cas4, acp_cas8.
template <class T>
future<T> cas(global_ptr<T> at, detail::same<T> expected, detail::same<T> value, order at_order,
              std::error_code &ec) noexcept {
    return detail::atomic<acp_cas4, acp_cas8>(ec, at, at_order, expected, value);
}

} // namespace acp

#endif
