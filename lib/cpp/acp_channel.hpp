// acp_channel.hpp - values that one rank sends to another, in order.
#ifndef GOACP_ACP_CHANNEL_HPP
#define GOACP_ACP_CHANNEL_HPP

#include "acp_codec.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace acp {
namespace detail {

// A value without a fixed number of bytes is sent as Sender of package acp does it: one message with its
// length, in length_bytes bytes, little endian, and its first front_most bytes, and messages of chunk_most
// bytes for the rest.
inline constexpr std::size_t length_bytes = 8;
inline constexpr std::size_t front_most = 1024 - length_bytes;
inline constexpr std::size_t chunk_most = std::size_t{1} << 20;

// One end of a channel.
class channel_end {
public:
    channel_end(int sender, int receiver) : end_(acp_create_ch(sender, receiver)) {
        require(end_ != ACP_CH_NULL);
    }
    channel_end(channel_end &&other) noexcept : end_(std::exchange(other.end_, ACP_CH_NULL)) {}
    channel_end &operator=(channel_end &&other) noexcept {
        std::swap(end_, other.end_);
        return *this;
    }
    ~channel_end() {
        if (end_ != ACP_CH_NULL && acp_rank() >= 0)
            acp_nbfree_ch(end_);
    }

    // Frees the end and waits for the other one. If the library refuses to free it, it stays as it is.
    void close() {
        const acp_request_t request = acp_nbfree_ch(end_);
        require(request != ACP_REQUEST_NULL);
        end_ = ACP_CH_NULL;
        require(wait(request) != failed);
    }

    // Begins to send a message. The bytes must not change before finish.
    acp_request_t send(const void *from, std::size_t size) noexcept {
        // The library does not write to the bytes of a message that it sends.
        return acp_nbsend_ch(end_, const_cast<void *>(from), size);
    }

    // Receives a message of at most size bytes. Returns the number of its bytes, or failed if the sender has
    // closed its end.
    std::size_t receive(void *to, std::size_t size) {
        const acp_request_t request = acp_nbrecv_ch(end_, to, size);
        require(request != ACP_REQUEST_NULL);
        const std::size_t got = wait(request);
        if (got != failed)
            return got;
        // The request is right, so this number means that the sender has freed its end.
        if (last_error() == std::errc::invalid_argument)
            return failed;
        throw error();
    }

    // Receives a message of size bytes, into memory of room bytes. Returns false if the sender has closed its end.
    bool receive_all(void *to, std::size_t size, std::size_t room) {
        const std::size_t got = receive(to, room);
        if (got != size && got != failed)
            throw error(std::errc::bad_message, "a message has another number of bytes than its type");
        return got == size;
    }

    static constexpr std::size_t failed = ~std::size_t{0};

    // Waits for a request, also if the time of acp_set_timeout is over meanwhile: it has the address of the
    // program's bytes.
    static std::size_t wait(acp_request_t request) noexcept {
        for (;;) {
            const std::size_t got = acp_wait_ch(request);
            if (got != failed || last_error() != std::errc::timed_out)
                return got;
        }
    }

    // Waits for the request of send, and reports whether the message was sent.
    static bool finish(acp_request_t request) noexcept {
        return request != ACP_REQUEST_NULL && wait(request) != failed;
    }

    // Sends a value without a fixed number of bytes. Returns false after a failure.
    bool send_value(const std::vector<unsigned char> &value) {
        std::array<unsigned char, length_bytes + front_most> front;
        for (std::size_t i = 0; i < length_bytes; i++)
            front[i] = static_cast<unsigned char>(std::uint64_t{value.size()} >> 8 * i);
        std::size_t sent = std::min(value.size(), front_most);
        std::copy_n(value.begin(), sent, front.begin() + length_bytes);
        bool success = finish(send(front.data(), length_bytes + sent));
        while (success && sent < value.size()) {
            const std::size_t n = std::min(value.size() - sent, chunk_most);
            success = finish(send(value.data() + sent, n));
            sent += n;
        }
        return success;
    }

    // Receives such a value. Returns false if the sender has closed its end. The memory grows as the value
    // arrives, so a wrong length does not take it all.
    bool receive_value(std::vector<unsigned char> &value) {
        std::array<unsigned char, length_bytes + front_most + 1> front;
        const std::size_t got = receive(front.data(), front.size());
        if (got == failed)
            return false;
        std::uint64_t size = 0;
        for (std::size_t i = 0; i < length_bytes && i < got; i++)
            size |= std::uint64_t{front[i]} << 8 * i;
        if (got != length_bytes + std::min(size, std::uint64_t{front_most}))
            throw error(std::errc::bad_message, "a message is not the beginning of a value");
        value.assign(front.begin() + length_bytes, front.begin() + static_cast<std::ptrdiff_t>(got));
        while (value.size() < size) {
            const std::size_t n = std::min(static_cast<std::size_t>(size) - value.size(), chunk_most);
            value.resize(value.size() + n);
            if (!receive_all(value.data() + value.size() - n, n, n))
                return false;
        }
        return true;
    }

    acp_ch_t handle() const noexcept { return end_; }

private:
    acp_ch_t end_;
};

} // namespace detail

// The end of a channel that sends values of type T to another rank, which has a receiver<T>. The other end
// may also be a Receiver of package acp in Go, for strings and for types with the same bytes in both
// languages.
template <class T> class sender {
public:
    // Makes the end of a channel to rank to. The n-th sender to a rank belongs to its n-th receiver from this
    // rank. Throws error if the rank is this one or does not exist. Any process. Does not block.
    // acp_create_ch.
    explicit sender(int to) : end_(acp_rank(), to) {}

    // Sends a value. Throws error if the receiver has closed its end. Any process. Blocks until the value is
    // in the buffer of the channel, or received. acp_nbsend_ch, acp_wait_ch.
    void send(const T &value) {
        if constexpr (codec<T>::fixed != 0 && std::is_trivially_copyable_v<T>) {
            detail::require(end_.finish(end_.send(&value, sizeof value)));
        } else {
            std::vector<unsigned char> bytes(codec<T>::size(value));
            codec<T>::write(value, bytes.data());
            detail::require(end_.send_value(bytes));
        }
    }

    // Closes the end. The destructor does the same without the wait. Throws error; the end that the library
    // refuses to free stays open. Any process. Blocks until the receiver closes its end, too. acp_nbfree_ch,
    // acp_wait_ch.
    void close() { end_.close(); }

    // Returns the handle of C. Does not block.
    acp_ch_t handle() const noexcept { return end_.handle(); }

private:
    detail::channel_end end_;
};

// The end of a channel that receives values of type T from another rank, which has a sender<T>.
template <class T> class receiver {
public:
    // Makes the end of a channel from rank from. Otherwise as sender. acp_create_ch.
    explicit receiver(int from) : end_(from, acp_rank()) {}

    // Receives the next value. Returns nothing if the sender has closed its end and no value is left. Throws
    // error; code bad_message means that the sender has values of another type. Any process. Blocks until a
    // value arrives. acp_nbrecv_ch, acp_wait_ch.
    std::optional<T> receive() {
        if constexpr (codec<T>::fixed != 0 && std::is_trivially_copyable_v<T>) {
            struct {
                T value;
                std::byte beyond; // without it, a longer message would pass for a value
            } to{};
            if (!end_.receive_all(&to, sizeof(T), sizeof(T) + 1))
                return std::nullopt;
            return to.value;
        } else {
            std::vector<unsigned char> bytes;
            if (!end_.receive_value(bytes))
                return std::nullopt;
            return codec<T>::read(bytes.data(), bytes.size());
        }
    }

    // Closes the end. Values that have not been received are lost. The destructor does the same without the
    // wait. Throws error as that of sender. Any process. Blocks until the sender closes its end, too.
    // acp_nbfree_ch, acp_wait_ch.
    void close() { end_.close(); }

    // Returns the handle of C. Does not block.
    acp_ch_t handle() const noexcept { return end_.handle(); }

private:
    detail::channel_end end_;
};

} // namespace acp

#endif
