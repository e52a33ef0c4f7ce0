// acp_segbuf.hpp - segmented buffers: a ring of segments that one rank fills and another one reads.
//
//     acp::segment_source<double> out(1, memory, 100);           acp::segment_sink<double> in(0, memory, 100);
//     acp::span<double> room = out.room();                       acp::span<const double> next = in.next();
//     if (!room.empty())                                         if (!next.empty())
//         ... fill it, out.publish();                                ... use it, in.give_back();
#ifndef GOACP_ACP_SEGBUF_HPP
#define GOACP_ACP_SEGBUF_HPP

#include "acp_error.hpp"
#include "acp_span.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace acp {
namespace detail {

// One end of a segmented buffer. The memory is of the program. Until close has returned, or the run has ended, the
// library may access it, also if the destructor has disconnected the end before.
template <class T> class segment_end {
    static_assert(std::is_trivially_copyable_v<T>, "segments have the bytes of values");

public:
    // Waits until the other end exists. Throws error if its segments are others. Any process. Blocks until the
    // other end exists. acp_connect_segbuf.
    void connect() { require(acp_connect_segbuf(end_) == 0); }

    // Ends the use of this end: published segments still arrive, and only close may be called. Throws error. Any
    // process. Does not block. acp_disconnect_segbuf.
    void disconnect() {
        require(acp_disconnect_segbuf(end_) == 0);
        connected_ = false;
    }

    // Waits until the other end is disconnected, too, and gives the memory back. A rank with several ends
    // disconnects all of them first. Throws error, and may be called again then. Any process. Blocks until the
    // other end is disconnected. acp_disconnect_segbuf, acp_free_segbuf.
    void close() {
        if (connected_)
            disconnect();
        require(acp_free_segbuf(end_) == 0);
        end_ = ACP_SEGBUF_NULL;
    }

    // Returns the handle of C. Does not block.
    acp_segbuf_t handle() const noexcept { return end_; }

protected:
    // Makes an end by a function of C. Throws error if the memory is no multiple of a segment.
    segment_end(acp_segbuf_t (*create)(int, void *, std::size_t, std::size_t), int rank, span<T> memory,
                std::size_t length)
        : memory_(memory), length_(length) {
        if (length == 0 || memory.size() % length != 0)
            throw error(std::errc::invalid_argument, "the memory of a segmented buffer is no multiple of a segment");
        end_ = create(rank, memory.data(), length * sizeof(T), memory.size() / length);
        require(end_ != ACP_SEGBUF_NULL);
    }
    segment_end(segment_end &&other) noexcept
        : end_(std::exchange(other.end_, ACP_SEGBUF_NULL)), memory_(other.memory_), length_(other.length_),
          connected_(other.connected_) {}
    // Disconnects the end without waiting for the other one, which keeps its handle until acp_finalize.
    ~segment_end() {
        if (end_ != ACP_SEGBUF_NULL && connected_ && acp_rank() >= 0)
            acp_disconnect_segbuf(end_);
    }

    // Returns the segment of which one function of C says whether it may be used, and another one the number; an
    // empty span if it may not.
    span<T> segment(int (*waiting)(acp_segbuf_t), std::int64_t (*number)(acp_segbuf_t)) const {
        const int wait = waiting(end_);
        require(wait >= 0);
        if (wait != 0)
            return {};
        const std::int64_t i = number(end_);
        require(i >= 0); // the run may end between the two calls
        return {memory_.data() + static_cast<std::size_t>(i) * length_, length_};
    }

    acp_segbuf_t end_ = ACP_SEGBUF_NULL;

private:
    span<T> memory_;
    std::size_t length_;
    bool connected_ = true;
};

} // namespace detail

// The end that fills segments.
template <class T> class segment_source : public detail::segment_end<T> {
public:
    // Makes the source towards a rank, with segments of length elements in memory. Throws error if the memory is no
    // multiple of a segment, there is no such rank or the heap is full. Any process. Does not block.
    // acp_create_src_segbuf.
    segment_source(int rank, span<T> memory, std::size_t length)
        : detail::segment_end<T>(acp_create_src_segbuf, rank, memory, length) {}

    // Returns the next segment to fill, or an empty span if none is free. Throws error if not connected. Any
    // process. Does not block. acp_isready_segbuf, acp_query_segbuf_tail.
    span<T> room() { return this->segment(acp_isready_segbuf, acp_query_segbuf_tail); }

    // Publishes the segment that room has returned. Throws error (resource_unavailable_try_again) if none is free.
    // Any process. Does not block. acp_ack_segbuf.
    void publish() { detail::require(acp_ack_segbuf(this->end_) == 0); }
};

// The end that reads segments.
template <class T> class segment_sink : public detail::segment_end<T> {
public:
    // Makes the destination of a rank. Otherwise as segment_source. acp_create_dst_segbuf.
    segment_sink(int rank, span<T> memory, std::size_t length)
        : detail::segment_end<T>(acp_create_dst_segbuf, rank, memory, length) {}

    // Returns the oldest published segment, or an empty span if there is none. Throws error if not connected. Any
    // process. Does not block. acp_isacked_segbuf, acp_query_segbuf_head.
    span<const T> next() { return this->segment(acp_isacked_segbuf, acp_query_segbuf_head); }

    // Gives the segment that next has returned back to the source. Throws error (resource_unavailable_try_again) if
    // there is none. Any process. Does not block. acp_ready_segbuf.
    void give_back() { detail::require(acp_ready_segbuf(this->end_) == 0); }
};

} // namespace acp

#endif
