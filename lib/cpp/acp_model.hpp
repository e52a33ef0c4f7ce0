// acp_model.hpp - programs that take part in coupling. Programs include acp_couple.hpp.
#ifndef GOACP_ACP_MODEL_HPP
#define GOACP_ACP_MODEL_HPP

#include "acp_error.hpp"
#include "acp_span.hpp"

#include <acp_couple.h>

#include <utility>

namespace acp {
namespace detail {

// A handle of C, freed by Free if the run has not ended.
template <class H, auto Free> class coupling_handle {
public:
    coupling_handle() noexcept = default;
    explicit coupling_handle(H handle) : handle_(handle) { require(handle != nullptr); }
    coupling_handle(coupling_handle &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    coupling_handle &operator=(coupling_handle &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~coupling_handle() {
        if (handle_ != nullptr && acp_rank() >= 0)
            Free(handle_);
    }

    // Frees the handle. After a failure it stays, for another call or the destructor.
    void close() {
        require(Free(handle_) == 0);
        handle_ = nullptr;
    }

    H get() const noexcept { return handle_; }

private:
    H handle_ = nullptr;
};

} // namespace detail

// A program that takes part in coupling. Its fields and links stay when it is destroyed.
class model {
public:
    // Makes the model of all ranks of the job of this process, with the name of the job. Throws error. Any
    // process. Does not block. acp_create_model.
    model() : handle_(acp_create_model(nullptr, nullptr, 0)) {}

    // The same with another name, of 1 to 200 bytes without full stop and >. acp_create_model.
    explicit model(const char *name) : handle_(acp_create_model(name, nullptr, 0)) {}

    // Makes the model of some ranks, this one among them, in this order. acp_create_model.
    model(const char *name, span<const int> ranks)
        : handle_(acp_create_model(name, ranks.data(), static_cast<int>(ranks.size()))) {}

    // Declares that the model has no more fields: links to others fail at once. Throws error. Any process.
    // Does not block. acp_seal_model.
    void seal() { detail::require(acp_seal_model(handle_.get()) == 0); }

    // Returns how many seconds this rank has computed, and how many it has waited for links of the model, while it had open
    // links. Throws error. Any process. Does not block. acp_query_model_times.
    std::pair<double, double> times() const {
        std::pair<double, double> result{0, 0};
        detail::require(acp_query_model_times(handle_.get(), &result.first, &result.second) == 0);
        return result;
    }

    // Returns the handle of C. Does not block.
    acp_model_t handle() const noexcept { return handle_.get(); }

private:
    detail::coupling_handle<acp_model_t, acp_free_model> handle_;
};

} // namespace acp

#endif
