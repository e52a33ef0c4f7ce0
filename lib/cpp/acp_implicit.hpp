// acp_implicit.hpp - steps that two models repeat until both agree. Programs include acp_couple.hpp.
//
//     acp::implicit both(wall, "flow", true);
//     both.add("area", area);
//     both.measure("area", ACP_MEASURE_RESIDUAL, 1e-4);
//     for (int step = 0; step < steps; step++)
//         for (auto round = both.begin(); round; round = both.iterate()) {
//             out.send(*round);
//             in.receive(*round);
//             deform(area, pressure);
//         }
//
// The flow has an iteration with "wall" that does not lead, and the same loops.
#ifndef GOACP_ACP_IMPLICIT_HPP
#define GOACP_ACP_IMPLICIT_HPP

#include "acp_model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace acp {

// The iteration of a model with another one. One of both leads: it adds the fields that are iterated, and chooses
// measures and method. What is added must exist as long as this object. docs/couple-implicit.md explains it.
class implicit {
public:
    // Makes the iteration of a model with the model called other. Exactly one of both leads. All ranks of both make it,
    // before seal and links. Throws error. Any process. Does not block. acp_create_implicit.
    implicit(const model &of, const char *other, bool leads)
        : handle_(acp_create_implicit(of.handle(), other, leads ? 1 : 0)) {}

    // Adds a field that is iterated: the values of this rank, which may be none. All ranks of the leading model add the
    // same fields in the same order. Throws error. Any process. Does not block. acp_add_implicit.
    void add(const char *name, span<double> values) {
        detail::require(acp_add_implicit(handle(), name, values.data(), static_cast<std::int64_t>(values.size())) == 0);
    }

    // Lets a step end only if a measure of a field, ACP_MEASURE_ABSOLUTE ... ACP_MEASURE_RESIDUAL, is at most limit.
    // Throws error. Any process. Does not block. acp_measure_implicit.
    void measure(const char *name, int measure, double limit) {
        detail::require(acp_measure_implicit(handle(), name, measure, limit) == 0);
    }

    // Chooses how the next values are computed, by ACP_METHOD_CONSTANT ... ACP_METHOD_IQN_ILS. reuse is from how many
    // earlier steps IQN-ILS uses columns, and columns how many it has at most; 0 means 20. Throws error. Any process.
    // Does not block. acp_accelerate_implicit.
    void accelerate(int method, double relaxation = 0.5, int reuse = 0, int columns = 0) {
        detail::require(acp_accelerate_implicit(handle(), method, relaxation, reuse, columns) == 0);
    }

    // Bounds the iterations of a step; 0 means no bound. Throws error. Any process. Does not block.
    // acp_limit_implicit.
    void limit(int most) { detail::require(acp_limit_implicit(handle(), most) == 0); }

    // Adds elements with which each iteration of a step begins: begin saves them, and iterate restores them before the
    // step is repeated. Throws error within a step. Any process. Does not block. acp_keep_implicit.
    template <class T> void keep(span<T> elements) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "iterations restore the bytes of elements");
        detail::require(acp_keep_implicit(handle(), elements.data(),
                                          static_cast<std::int64_t>(elements.size() * sizeof(T))) == 0);
    }

    // The same for an array, a vector or another container of contiguous elements. acp_keep_implicit.
    template <class C> void keep(C &elements) {
        keep(span<std::remove_pointer_t<decltype(std::data(elements))>>(elements));
    }

    // Begins a step, and returns the number that send and receive of the links between both models get in its first
    // iteration. Throws error; code timed_out means that the time of acp_set_timeout is over, and it may be called
    // again. Collective for the ranks of both models. Blocks in the first step until all have called it.
    // acp_begin_implicit.
    std::optional<std::int64_t> begin() {
        std::int64_t round = 0;
        detail::require(acp_begin_implicit(handle(), &round) == 0);
        return round;
    }

    // Ends an iteration. Returns the number of the next one, whose values the fields of the leading model have then, or
    // nothing if the step is over. Throws error, such as argument_out_of_domain on all ranks of both models if values
    // are NaN or infinite; code timed_out as for begin. Collective for the ranks of both models. Blocks until all ranks of
    // the leading model have called it. acp_iterate_implicit.
    std::optional<std::int64_t> iterate() {
        std::int64_t round = 0;
        const int again = acp_iterate_implicit(handle(), &round);
        detail::require(again >= 0);
        if (again == 0)
            return std::nullopt;
        return round;
    }

    // Returns how many iterations the last step has had, and whether its measures are within their limits. Throws error.
    // Any process. Does not block. acp_query_implicit.
    std::pair<int, bool> last() const {
        int count = 0, converged = 0;
        detail::require(acp_query_implicit(handle(), &count, &converged) == 0);
        return {count, converged != 0};
    }

    // Ends the iteration, and the use of what has been added. The destructor does the same and ignores a failure. Throws
    // error. Any process. Blocks until all sent messages have left this process. acp_free_implicit.
    void close() { handle_.close(); }

    // Returns the handle of C. Does not block.
    acp_implicit_t handle() const noexcept { return handle_.get(); }

private:
    detail::coupling_handle<acp_implicit_t, acp_free_implicit> handle_;
};

} // namespace acp

#endif
