// acp_couple.hpp - coupling: programs of a run exchange fields, step by step. The interface of acp_couple.h
// for C++.
//
//     acp::model ocean("ocean");
//     acp::field sst(ocean, "sst", temperature, acp::block{{12, 8}, {0, row}, {12, rows}});
//     acp::outgoing out(sst, "atmosphere.surface");
//     for (int step = 0; step < steps; step++) {
//         compute(temperature);
//         out.send(step);
//     }
//
// The atmosphere has an acp::incoming from "ocean.sst" and calls receive. All ranks of a model make its
// objects, in the same order. One thread at a time uses a field or a link. what() of an error names the link,
// the fields and the ranks. acp_couple.h says more about each function, and docs/couple.md explains fields
// and links.
#ifndef GOACP_ACP_COUPLE_HPP
#define GOACP_ACP_COUPLE_HPP

#include "acp_grid.hpp"
#include "acp_implicit.hpp"
#include "acp_model.hpp"

#include <complex>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace acp {
namespace detail {

// The number of a type of values in acp_couple.h, or 0 if fields cannot have it.
template <class T> constexpr int value_type() noexcept {
    if constexpr (std::is_same_v<T, float>)
        return ACP_FLOAT;
    else if constexpr (std::is_same_v<T, double>)
        return ACP_DOUBLE;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return ACP_FLOAT_COMPLEX;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return ACP_DOUBLE_COMPLEX;
    else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return (std::is_signed_v<T> ? ACP_INT8 : ACP_UINT8) + width;
    } else
        return 0;
}

} // namespace detail

// The block of a grid that this rank has, as an argument of field: the number of points of the grid, the
// first point of the block and the number of its points, in each dimension. The last subscript varies
// fastest, unless flags has ACP_ORDER_FORTRAN. Lists in braces exist until the end of the statement: a
// variable of type block, list, ranges or weights needs arrays with names.
struct block {
    span<const int> sizes;
    span<const int> firsts;
    span<const int> extents;
    span<const int> halos = {}; // further points of the memory on each side
    int flags = 0;              // the sum of ACP_ORDER_FORTRAN, ACP_FILL_HALO and ACP_SAME_NUMBERS
};

// The points of this rank in any order, as an argument of field.
struct list {
    span<const std::int64_t> points;
};

// Ranges of points that this rank has, as an argument of field: range i begins at firsts[i] and has counts[i]
// points.
struct ranges {
    span<const std::int64_t> firsts;
    span<const std::int64_t> counts;
};

// The values that the ranks of a model have for their points. It does not own the values, which exist as long
// as its links. Each point has values numbers of type T, an integer, float, double or a std::complex of them.
// The number of elements of data is checked for a list and for ranges. Constructors throw error for a wrong
// argument or a point that occurs twice.
class field {
public:
    // Declares a field of a block of a grid. Any process. Does not block. acp_create_field_block.
    template <class C>
    field(const model &of, const char *name, C &&data, const block &where, int values = 1)
        : field(of, name, view(data), where, values) {}

    // Declares a field of a list of points. Any process. Does not block. acp_create_field_list.
    template <class C>
    field(const model &of, const char *name, C &&data, const list &where, int values = 1)
        : field(of, name, view(data), where, values) {}

    // Declares a field of ranges of points. Any process. Does not block. acp_create_field_ranges.
    template <class C>
    field(const model &of, const char *name, C &&data, const ranges &where, int values = 1)
        : field(of, name, view(data), where, values) {}

    template <class T>
    field(const model &of, const char *name, span<T> data, const block &where, int values = 1)
        : handle_(acp_create_field_block(of.handle(), name, type<T>(), values, data.data(), dims(where),
                                         where.sizes.data(), where.firsts.data(), where.extents.data(),
                                         where.halos.empty() ? nullptr : where.halos.data(), where.flags)) {}

    template <class T>
    field(const model &of, const char *name, span<T> data, const list &where, int values = 1)
        : handle_(acp_create_field_list(
              of.handle(), name, type<T>(), values, data.data(), where.points.data(),
              fitting(data.size(), static_cast<std::int64_t>(where.points.size()), values))) {}

    template <class T>
    field(const model &of, const char *name, span<T> data, const ranges &where, int values = 1)
        : handle_(acp_create_field_ranges(of.handle(), name, type<T>(), values, data.data(),
                                          where.firsts.data(), where.counts.data(),
                                          count(data.size(), where, values))) {}

    // Masks the points whose number is 0, one number for each point of the memory. Call it before the field
    // has links. Throws error. Any process. Does not block. acp_mask_field.
    void mask(span<const int> masks) {
        detail::require(acp_mask_field(handle(), masks.data(), static_cast<std::int64_t>(masks.size())) == 0);
    }

    // Sets the address of the values, such as the array of the next time level, of the same size and type.
    // Throws error. Any process. Does not block. acp_use_field.
    void use(void *data) { detail::require(acp_use_field(handle(), data) == 0); }

    // Lets links that are opened afterwards keep the integral of the field. method is ACP_CONSERVE_NONE,
    // ACP_CONSERVE_ADD or ACP_CONSERVE_MULTIPLY. areas has one number for each point of the memory; without
    // areas each is 1. Throws error. Any process. Does not block. acp_conserve_field.
    void conserve(int method, span<const double> areas = {}) {
        detail::require(acp_conserve_field(handle(), method, areas.empty() ? nullptr : areas.data(),
                                           static_cast<std::int64_t>(areas.size())) == 0);
    }

    // Returns the handle of C. Does not block.
    acp_field_t handle() const noexcept { return handle_.get(); }

private:
    template <class C> static auto view(C &data) {
        return span<std::remove_pointer_t<decltype(std::data(data))>>(data);
    }

    template <class T> static constexpr int type() {
        static_assert(detail::value_type<T>() != 0, "fields have integers, real and complex numbers");
        return detail::value_type<T>();
    }

    static int dims(const block &where) {
        const std::size_t n = where.sizes.size();
        if (where.firsts.size() != n || where.extents.size() != n ||
            (!where.halos.empty() && where.halos.size() != n))
            throw error(std::errc::invalid_argument, "arrays of a block differ in the number of dimensions");
        return static_cast<int>(n);
    }

    static std::int64_t fitting(std::size_t size, std::int64_t points, int values) {
        if (values > 0 && static_cast<std::int64_t>(size) / values < points)
            throw error(std::errc::invalid_argument, "the field has fewer elements than points");
        return points;
    }

    static int count(std::size_t size, const ranges &where, int values) {
        if (where.firsts.size() != where.counts.size())
            throw error(std::errc::invalid_argument, "a field has another number of firsts than of counts");
        std::int64_t points = 0;
        for (const std::int64_t n : where.counts)
            points += n;
        fitting(size, points, values);
        return static_cast<int>(where.firsts.size());
    }

    detail::coupling_handle<acp_field_t, acp_free_field> handle_;
};

// How a link is opened. acp_open_link_to explains the numbers.
struct link_options {
    int levels = 1;      // messages that a sender may be ahead
    int every = 1;       // the link acts in steps that are multiples
    double seconds = -1; // the most time of the opening; negative: as long as the run goes on
};

// A file with a matrix: netCDF of SCRIP, CDO, ESMF_RegridWeightGen or YAC, or Matrix Market. Each rank reads it while the
// link is opened, and keeps the entries of its points. The name is relative to the present folder.
struct weight_file {
    const char *name;
};

// One side of a link, or a publication.
class link {
public:
    // Reports whether the next step with a message would not wait. Throws error. Any process. Does not block.
    // acp_isready_link.
    bool ready() const { return within(acp_isready_link(handle())); }

    // Waits until ready returns true, at most seconds; negative: as long as the run goes on. Reports whether
    // it is ready. Throws error. Any process. Blocks until the link is ready or the time is over.
    // acp_wait_link.
    bool wait(double seconds) const { return within(acp_wait_link(handle(), seconds)); }

    // Multiplies the values by factor and adds offset. Throws error. Any process. Does not block.
    // acp_scale_link.
    void scale(double factor, double offset = 0) { detail::require(acp_scale_link(handle(), factor, offset) == 0); }

    // Returns how many messages this rank has sent or received, and how many seconds its calls have waited. Throws
    // error for a publication. Any process. Does not block. acp_query_link_times.
    std::pair<std::int64_t, double> times() const {
        std::pair<std::int64_t, double> result{0, 0};
        detail::require(acp_query_link_times(handle(), &result.first, &result.second) == 0);
        return result;
    }

    // Writes the values of each message whose number every divides to a netCDF file, whose name ends in a full stop, the
    // number of the process and ".nc". Throws error. Any process. Does not block, apart from writing.
    // acp_record_link.
    void record(const char *file, int every = 1) { detail::require(acp_record_link(handle(), file, every) == 0); }

    // Writes the state of the operations in time of this rank to a file, whose name ends in the number of the
    // process. Throws error. Any process. Does not block, apart from writing. acp_save_link.
    void save(const char *file) { detail::require(acp_save_link(handle(), file) == 0); }

    // Continues from the file that save has written, and returns the last step before that. Throws error. Any
    // process. Does not block, apart from reading. acp_load_link.
    std::int64_t load(const char *file) {
        std::int64_t step = 0;
        detail::require(acp_load_link(handle(), file, &step) == 0);
        return step;
    }

    // Closes the link for this rank. The destructor does the same and ignores a failure. Throws error. Any
    // process. Blocks until all sent messages have left this process. acp_close_link.
    void close() { handle_.close(); }

    // Returns the handle of C. Does not block.
    acp_link_t handle() const noexcept { return handle_.get(); }

protected:
    explicit link(acp_link_t handle) : handle_(handle) {}

    static bool within(int result) {
        detail::require(result >= 0);
        return result == 0;
    }

    // Reports whether the other side still has the link.
    static bool open(int result) {
        if (result != 0 && last_error() == std::errc::broken_pipe)
            return false;
        detail::require(result == 0);
        return true;
    }

private:
    detail::coupling_handle<acp_link_t, acp_close_link> handle_;
};

// The side of a link that sends.
class outgoing : public link {
public:
    // Opens the link to a field of another model, such as "atmosphere.surface". Throws error. Collective for
    // the ranks of both models. Blocks until all have called it. acp_open_link_to.
    outgoing(const field &from, const char *to, link_options o = {})
        : link(acp_open_link_to(from.handle(), to, o.levels, o.every, o.seconds)) {}

    // The same with a matrix, whose columns are points of this rank. acp_open_link_weighted_to.
    outgoing(const field &from, const char *to, const weights &w, link_options o = {})
        : link(acp_open_link_weighted_to(from.handle(), to, w.rows.data(), w.columns.data(), w.values.data(),
                                         w.entries(), o.levels, o.every, o.seconds)) {}

    // The same with the matrix of a file, whose columns are points of the sender. acp_open_link_file_to.
    outgoing(const field &from, const char *to, weight_file w, link_options o = {})
        : link(acp_open_link_file_to(from.handle(), to, w.name, o.levels, o.every, o.seconds)) {}

    // Sends the values of a step. Returns false if a receiver has closed the link. Throws error, such as one
    // with result_out_of_range for a wrong step. Any process. Blocks until the receivers have room.
    // acp_send_link.
    bool send(std::int64_t step) { return open(acp_send_link(handle(), step)); }

    // Lets each message have the values of all steps since the last message as ACP_REDUCE_SUM,
    // ACP_REDUCE_AVERAGE, ACP_REDUCE_MINIMUM or ACP_REDUCE_MAXIMUM reduces them. Throws error. Any process.
    // Does not block. acp_reduce_link.
    void reduce(int reduction) { detail::require(acp_reduce_link(handle(), reduction) == 0); }

    // Lets the values of a step count as those of a later step. Throws error. Any process. Does not block.
    // acp_lag_link.
    void lag(int steps) { detail::require(acp_lag_link(handle(), steps) == 0); }

    // Sends the messages that a lag needs before that of the first step: the present values of the field, or
    // those of a file. Throws error. Any process. Does not block, apart from reading. acp_initialize_link.
    void initialize(std::int64_t step = 0, const char *file = nullptr) {
        detail::require(acp_initialize_link(handle(), step, file) == 0);
    }
};

// The side of a link that receives.
class incoming : public link {
public:
    // Opens the link from a field of another model, such as "ocean.sst". Throws error. Collective for the
    // ranks of both models. Blocks until all have called it. acp_open_link_from.
    incoming(const field &to, const char *from, link_options o = {})
        : link(acp_open_link_from(to.handle(), from, o.levels, o.every, o.seconds)) {}

    // The same with a matrix, whose rows are points of this rank. acp_open_link_weighted_from.
    incoming(const field &to, const char *from, const weights &w, link_options o = {})
        : link(acp_open_link_weighted_from(to.handle(), from, w.rows.data(), w.columns.data(),
                                           w.values.data(), w.entries(), o.levels, o.every, o.seconds)) {}

    // The same with the matrix of a file, whose rows are points of the receiver. acp_open_link_file_from.
    incoming(const field &to, const char *from, weight_file w, link_options o = {})
        : link(acp_open_link_file_from(to.handle(), from, w.name, o.levels, o.every, o.seconds)) {}

    // Receives the values of a step. Returns false, and changes no value, if a sender has closed the link and
    // all its messages have been received. Throws error, such as one with result_out_of_range for a wrong
    // step. Any process. Blocks until the values have arrived. acp_receive_link.
    bool receive(std::int64_t step) { return open(acp_receive_link(handle(), step)); }

    // Lets receive compute the values of each step on the straight line between two messages. Throws error.
    // Any process. Does not block. acp_interpolate_link.
    void interpolate() { detail::require(acp_interpolate_link(handle()) == 0); }
};

// A field that other models may watch. It never waits for them.
class publication : public link {
public:
    // Begins to publish the field to a field of another model, in steps that are multiples of every. Throws
    // error. Any process. Does not block. acp_publish_link_to.
    publication(const field &from, const char *to, int every = 1)
        : link(acp_publish_link_to(from.handle(), to, every)) {}

    // The same with a matrix, whose columns are points of this rank. acp_publish_link_weighted_to.
    publication(const field &from, const char *to, const weights &w, int every = 1)
        : link(acp_publish_link_weighted_to(from.handle(), to, w.rows.data(), w.columns.data(),
                                            w.values.data(), w.entries(), every)) {}

    // The same with the matrix of a file, whose columns are points of the sender. acp_publish_link_file_to.
    publication(const field &from, const char *to, weight_file w, int every = 1)
        : link(acp_publish_link_file_to(from.handle(), to, w.name, every)) {}

    // Sends the values of a step if a watcher has requested one. Throws error. Any process. Does not block.
    // acp_send_link.
    void send(std::int64_t step) { detail::require(acp_send_link(handle(), step) == 0); }
};

// The watching side of a publication.
class watcher : public link {
public:
    // Opens the link from a field that another model publishes. Waits at most seconds; negative: as long as
    // the run goes on. Throws error. Collective for the ranks of the model. Blocks until the other model
    // publishes. acp_watch_link_from.
    watcher(const field &to, const char *from, double seconds = -1)
        : link(acp_watch_link_from(to.handle(), from, seconds)) {}

    // The same with a matrix, whose rows are points of this rank. acp_watch_link_weighted_from.
    watcher(const field &to, const char *from, const weights &w, double seconds = -1)
        : link(acp_watch_link_weighted_from(to.handle(), from, w.rows.data(), w.columns.data(),
                                            w.values.data(), w.entries(), seconds)) {}

    // The same with the matrix of a file, whose rows are points of the receiver. acp_watch_link_file_from.
    watcher(const field &to, const char *from, weight_file w, double seconds = -1)
        : link(acp_watch_link_file_from(to.handle(), from, w.name, seconds)) {}

    // Receives the values of the next possible step. Returns its number, or nothing if the other model has
    // ended the publication. Throws error; code timed_out means that seconds are over, and all ranks may call
    // it again. Collective for the ranks of the model. Blocks until the values are there. acp_next_link.
    std::optional<std::int64_t> next(double seconds = -1) {
        std::int64_t step = 0;
        const int result = acp_next_link(handle(), &step, seconds);
        if (result > 0)
            throw error(std::errc::timed_out, "no step has been published in time");
        if (!open(result))
            return std::nullopt;
        return step;
    }
};

// The links of the description of the run that begin or end at a model. The program names its fields alone, and the
// description says where each of them goes.
class links {
public:
    // Seals the model and opens the links of its fields. Waits at most seconds; negative: as long as the run goes
    // on. Without a description there are no links. Throws error. Collective for the ranks of the model and of
    // those to which it has links. Blocks until the other models open the links. acp_open_links.
    explicit links(const model &of, double seconds = -1) : handle_(acp_open_links(of.handle(), seconds)) {}

    // Sends the fields of all links that begin at the model and have a message in this step. Throws error. Any
    // process. Blocks until the receivers have room. acp_send_links.
    void send(std::int64_t step) { detail::require(acp_send_links(handle(), step) == 0); }

    // Receives the fields of all links that end at the model and have a message in this step, apart from watched
    // ones. Throws error. Any process. Blocks until the values have arrived. acp_receive_links.
    void receive(std::int64_t step) { detail::require(acp_receive_links(handle(), step) == 0); }

    // Writes the states of all links with operations in time to files in a folder. Throws error. Any process. Does
    // not block, apart from writing. acp_save_links.
    void save(const char *folder) { detail::require(acp_save_links(handle(), folder) == 0); }

    // Continues from what save has written, and returns the last step before that, or -1 if no link has a state.
    // Throws error. Any process. Does not block, apart from reading. acp_load_links.
    std::int64_t load(const char *folder) {
        std::int64_t step = 0;
        detail::require(acp_load_links(handle(), folder, &step) == 0);
        return step;
    }

    // Closes all of the links. The destructor does the same and ignores a failure. Throws error. Any process.
    // Blocks until all sent messages have left this process. acp_close_links.
    void close() { handle_.close(); }

    // Returns the handle of C, for example for acp_query_watched_link. Does not block.
    acp_links_t handle() const noexcept { return handle_.get(); }

private:
    detail::coupling_handle<acp_links_t, acp_close_links> handle_;
};

} // namespace acp

#endif
