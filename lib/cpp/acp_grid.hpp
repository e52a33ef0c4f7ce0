// acp_grid.hpp - grids, and weights that are made from them. Programs include acp_couple.hpp.
//
//     acp::grid sea(lon, lat, {ny, nx}), air(centres_lon, centres_lat);
//     sea.corners(sea_lon, sea_lat, 4);
//     air.corners(air_lon, air_lat, 3);
//     acp::made_weights made(sea, air, ACP_REGRID_CONSERVATIVE);
//     acp::incoming in(surface, "ocean.sst", made.entries());
#ifndef GOACP_ACP_GRID_HPP
#define GOACP_ACP_GRID_HPP

#include "acp_model.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <system_error>
#include <vector>

namespace acp {

// A sparse matrix between the points of two fields: entry i is in row rows[i], a point of the receiver, and
// column columns[i], a point of the sender. The library reads it only while the link is opened.
struct weights {
    span<const std::int64_t> rows;
    span<const std::int64_t> columns;
    span<const double> values;

    // Returns the number of entries. Throws error if the arrays differ in it. Does not block.
    std::int64_t entries() const {
        if (rows.size() != columns.size() || rows.size() != values.size())
            throw error(std::errc::invalid_argument, "arrays of a matrix have different numbers of entries");
        return static_cast<std::int64_t>(rows.size());
    }
};

// The coordinates of the points of a field, and perhaps the corners of their cells.
class grid {
public:
    // Makes a grid of points without rows: longitudes and latitudes in degrees, or x and y if flags is ACP_PLANE. Throws
    // error. Any process. Does not block. acp_create_grid.
    grid(span<const double> xs, span<const double> ys, int flags = 0) : grid(xs, ys, {static_cast<int>(xs.size())}, flags) {}

    // Makes a grid with dimensions, whose last subscript varies fastest, or the first one with ACP_ORDER_FORTRAN in
    // flags. acp_create_grid.
    grid(span<const double> xs, span<const double> ys, std::initializer_list<int> sizes, int flags = 0)
        : grid(xs, ys, span<const int>(sizes.begin(), sizes.size()), flags) {}
    grid(span<const double> xs, span<const double> ys, span<const int> sizes, int flags = 0) {
        std::size_t all = 1;
        for (int size : sizes)
            all *= static_cast<std::size_t>(size > 0 ? size : 0);
        if (xs.size() != all || ys.size() != all)
            throw error(std::errc::invalid_argument, "a grid has one x and one y for each point");
        handle_ = held(acp_create_grid(xs.data(), ys.data(), static_cast<int>(sizes.size()), sizes.data(), flags));
    }

    // Returns the number of points. Throws error. Any process. Does not block. acp_count_grid.
    std::int64_t points() const {
        const std::int64_t count = acp_count_grid(handle());
        detail::require(count >= 0);
        return count;
    }

    // Gives cells their corners: count of each, those of a cell behind each other. Throws error. Any process. Does not
    // block. acp_set_grid_corners.
    void corners(span<const double> xs, span<const double> ys, int count) {
        const std::size_t all = static_cast<std::size_t>(points()) * static_cast<std::size_t>(count > 0 ? count : 0);
        if (xs.size() != all || ys.size() != all)
            throw error(std::errc::invalid_argument, "corners have one x and one y for each corner of each point");
        detail::require(acp_set_grid_corners(handle(), xs.data(), ys.data(), count) == 0);
    }

    // Masks points, which have no values: those whose number is 0. Throws error. Any process. Does not block.
    // acp_mask_grid.
    void mask(span<const int> masks) {
        detail::require(acp_mask_grid(handle(), masks.data(), static_cast<std::int64_t>(masks.size())) == 0);
    }

    // Frees the grid, as the destructor does. Throws error. Any process. Does not block. acp_free_grid.
    void close() { handle_.close(); }

    // Returns the handle of C. Does not block.
    acp_grid_t handle() const noexcept { return handle_.get(); }

private:
    using held = detail::coupling_handle<acp_grid_t, acp_free_grid>;
    held handle_;
};

// Weights that are made from two grids.
class made_weights {
public:
    // Makes the weights of all points of the receiving grid, by ACP_REGRID_NEAREST ... ACP_REGRID_CONSERVATIVE. choice is
    // that of acp_make_weights. Throws error. Any process. Does not block, but computes. acp_make_weights.
    made_weights(const grid &from, const grid &to, int method, int choice = 0)
        : made_weights(acp_make_weights(from.handle(), to.handle(), method, choice, nullptr, -1)) {}

    // The same for some points of the receiving grid, such as those of this rank. acp_make_weights.
    made_weights(const grid &from, const grid &to, int method, int choice, span<const std::int64_t> points)
        : made_weights(acp_make_weights(from.handle(), to.handle(), method, choice, points.data(),
                                        static_cast<std::int64_t>(points.size()))) {}

    // Returns the entries, which exist as long as this object. Does not block.
    weights entries() const { return {rows_, columns_, values_}; }

private:
    explicit made_weights(acp_weights_t made) : handle_(made) {
        const std::int64_t count = acp_count_weights(made);
        detail::require(count >= 0);
        const auto n = static_cast<std::size_t>(count);
        rows_.resize(n), columns_.resize(n), values_.resize(n);
        if (n > 0)
            detail::require(acp_query_weights(made, rows_.data(), columns_.data(), values_.data()) == 0);
    }

    detail::coupling_handle<acp_weights_t, acp_free_weights> handle_;
    std::vector<std::int64_t> rows_, columns_;
    std::vector<double> values_;
};

} // namespace acp

#endif
