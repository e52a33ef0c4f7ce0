// acp_channel.hpp - values that one rank sends to another, in order.
#ifndef GOACP_ACP_CHANNEL_HPP
#define GOACP_ACP_CHANNEL_HPP

#include "acp_codec.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace acp {
namespace detail {

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

    void close() { require(acp_free_ch(std::exchange(end_, ACP_CH_NULL)) == 0); }

    // Begins to send a message. The bytes must not change before finish.
    acp_request_t send(const void *from, std::size_t size) noexcept {
        // The library does not write to the bytes of a message that it sends.
        return acp_nbsend_ch(end_, const_cast<void *>(from), size);
    }

    // Receives a message of size bytes, or returns false if the sender has closed its end.
    bool receive(void *to, std::size_t size) {
        const acp_request_t request = acp_nbrecv_ch(end_, to, size);
        require(request != ACP_REQUEST_NULL);
        const std::size_t got = wait(request);
        if (got == size)
            return true;
        if (got != failed)
            throw error(std::errc::bad_message, "a message has another number of bytes than its type");
        // The request is right, so this number means that the sender has freed its end.
        if (last_error() == std::errc::invalid_argument)
            return false;
        throw error();
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

    acp_ch_t handle() const noexcept { return end_; }

private:
    acp_ch_t end_;
};

} // namespace detail

// The end of a channel that sends values of type T to another rank, which has a receiver<T>. A value of a
// type without a fixed number of bytes takes two messages: the number of its bytes, and the bytes.
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
            const std::uint64_t size = bytes.size();
            const acp_request_t first = end_.send(&size, sizeof size);
            const acp_request_t second = size > 0 ? end_.send(bytes.data(), bytes.size()) : ACP_REQUEST_NULL;
            const bool sent = end_.finish(first);
            detail::require((size == 0 || end_.finish(second)) && sent);
        }
    }

    // Closes the end. The destructor does the same without the wait. Throws error. Any process. Blocks until
    // the receiver closes its end, too. acp_free_ch.
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
            T value{};
            if (!end_.receive(&value, sizeof value))
                return std::nullopt;
            return value;
        } else {
            std::uint64_t size = 0;
            if (!end_.receive(&size, sizeof size))
                return std::nullopt;
            std::vector<unsigned char> bytes(size);
            if (size > 0 && !end_.receive(bytes.data(), bytes.size()))
                return std::nullopt;
            return codec<T>::read(bytes.data(), bytes.size());
        }
    }

    // Closes the end. Values that have not been received are lost. The destructor does the same without the
    // wait. Throws error. Any process. Blocks until the sender closes its end, too. acp_free_ch.
    void close() { end_.close(); }

    // Returns the handle of C. Does not block.
    acp_ch_t handle() const noexcept { return end_.handle(); }

private:
    detail::channel_end end_;
};

} // namespace acp

#endif
