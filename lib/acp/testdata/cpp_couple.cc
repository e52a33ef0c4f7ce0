// Links of acp_couple.hpp: rank 0 is a model, and the other ranks are another one.
#include <acp.hpp>
#include <acp_couple.hpp>

#include "cpp_check.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr int nx = 4, ny = 6, steps = 5;

// The values of a field of rank 0, at a step.
void fill(std::vector<double> &values, int step) {
    for (std::size_t i = 0; i < values.size(); i++)
        values[i] = 100 * step + static_cast<double>(i);
}

void west() {
    std::vector<double> values(nx * ny), levels(nx * ny);
    acp::model model("west", {0});
    acp::field block(model, "block", values, acp::block{{ny, nx}, {0, 0}, {ny, nx}});
    acp::field picture(model, "picture", acp::span<double>(values), acp::ranges{{0}, {nx * ny}});
    model.seal();
    acp::outgoing out(block, "east.block"), masked(block, "east.masked", {2, 2, -1});
    acp::outgoing sums(picture, "east.sums", acp::link_options{1, 1, 60});
    acp::outgoing tripled(picture, "east.tripled", acp::weight_file{"testdata/three.mtx"}, {1, 1, 60});
    acp::publication shown(picture, "east.shown");
    for (int step = 0; step < steps; step++) {
        fill(values, step);
        CHECK(out.send(step) && masked.send(step));
        if (step == 0)
            CHECK(sums.send(step) && tripled.send(step));
    }
    CHECK_THROWS(out.send(0), result_out_of_range);
    sums.close();
    // The watchers close the other link when they have seen enough.
    for (std::int64_t step = 0; acp_get_value("seen", nullptr, 0, nullptr) == 0; step++)
        shown.send(step);
    block.use(levels.data());
}

void east(int me, int n) {
    std::vector<int> all(static_cast<std::size_t>(n - 1));
    std::iota(all.begin(), all.end(), 1);
    acp::model model("east", all);

    // Rows of a block, with a halo of one column on each side.
    const int first = ny * (me - 1) / (n - 1), rows = ny * me / (n - 1) - first;
    const int halos[] = {0, 1};
    std::vector<double> values(static_cast<std::size_t>(rows * (nx + 2)), -1);
    acp::field block(model, "block", values, acp::block{{ny, nx}, {first, 0}, {rows, nx}, halos});

    // Every (n-1)-th point, but rank 1 masks its first.
    std::vector<std::int64_t> points;
    for (std::int64_t p = me - 1; p < nx * ny; p += n - 1)
        points.push_back(p);
    std::vector<double> some(points.size(), -1);
    acp::field masked(model, "masked", some, acp::list{points});
    std::vector<int> masks(points.size(), 1);
    masks[0] = me != 1;
    masked.mask(masks);

    // Each rank has one point: the sum of the first two points.
    double sum = -1;
    const std::int64_t mine = me - 1;
    acp::field sums(model, "sums", acp::span<double>(&sum, 1), acp::list{{mine}});
    // A file triples point 0.
    double triple = -1;
    acp::field tripled(model, "tripled", acp::span<double>(&triple, 1), acp::list{{mine}});
    std::vector<double> pixels(me == 1 ? nx * ny : 0);
    acp::field shown(model, "shown", pixels, acp::ranges{{0}, {me == 1 ? nx * ny : 0}});
    model.seal();

    acp::incoming in(block, "west.block"), masked_in(masked, "west.block", {2, 2, -1});
    acp::incoming sums_in(sums, "west.picture", acp::weights{{mine, mine}, {0, 1}, {1, 1}}, {1, 1, 60});
    acp::incoming tripled_in(tripled, "west.picture", {1, 1, 60});
    acp::watcher view(shown, "west.picture");
    CHECK_THROWS(view.next(0.01), timed_out); // west publishes when the other links are at their last step
    for (int step = 0; step < steps; step++) {
        CHECK(in.wait(-1) && in.ready());
        CHECK(in.receive(step) && masked_in.receive(step));
        for (int y = 0; y < rows; y++)
            for (int x = -1; x <= nx; x++)
                CHECK(values[static_cast<std::size_t>(y * (nx + 2) + x + 1)] ==
                      (x < 0 || x == nx ? -1 : 100 * step + (first + y) * nx + x));
        for (std::size_t i = 0; i < points.size(); i++)
            CHECK(some[i] == (masks[i] == 0 ? -1 : 100 * (step - step % 2) + static_cast<double>(points[i])));
    }
    CHECK(tripled_in.receive(0) && triple == (mine == 0 ? 0 : -1));
    CHECK(sums_in.receive(0) && sum == 1 && !sums_in.receive(1));
    std::optional<std::int64_t> before = view.next(), next = view.next();
    CHECK(before && next && *before < *next && (me != 1 || pixels[5] == 100 * (steps - 1) + 5));
    view.close();
    CHECK(acp_put_value("seen", "yes", 3) > 0);
}

// Rank 0 sends averages of two steps with a lag, and the others compute values between them in another unit. A second link
// continues from the state of the first one. The integral is kept.
void times(int me, int n) {
    std::vector<int> hands(static_cast<std::size_t>(n - 1));
    std::iota(hands.begin(), hands.end(), 1);
    acp::model model = me == 0 ? acp::model("clock", {0}) : acp::model("hand", hands);
    const std::int64_t point = std::max(me, 1) - 1;
    std::vector<double> value(me == 0 ? static_cast<std::size_t>(n - 1) : 1, -0.5);
    acp::field field(model, "time", value, acp::ranges{{me == 0 ? 0 : point}, {me == 0 ? n - 1 : 1}});
    field.conserve(ACP_CONSERVE_MULTIPLY);
    field.conserve(ACP_CONSERVE_ADD, std::vector<double>(value.size(), 2));
    const std::string file = std::string(std::getenv("STATE_FOLDER")) + (me == 0 ? "/clock" : "/hand");
    for (int round = 0; round < 2; round++) {
        if (me == 0) {
            acp::outgoing out(field, "hand.time", {1, 2, -1});
            out.reduce(ACP_REDUCE_AVERAGE);
            out.lag(1);
            if (round == 0)
                out.initialize();
            else
                CHECK(out.load(file.c_str()) == 3);
            for (int step = 4 * round; step < 4 * round + 6; step++) {
                std::fill(value.begin(), value.end(), step);
                CHECK(out.send(step));
                if (step == 3)
                    out.save(file.c_str());
            }
            CHECK_THROWS(out.lag(1), invalid_argument);
            CHECK(out.times().first >= 3 && out.times().second >= 0);
            CHECK(acp_sync() == 0);
        } else {
            acp::incoming in(field, "clock.time", {1, 2, -1});
            in.interpolate();
            in.scale(10, 1);
            in.record((file + "-record").c_str());
            CHECK_THROWS(in.record("x", 0), invalid_argument);
            if (round == 1)
                CHECK(in.load(file.c_str()) == 3);
            for (int step = 4 * round; step < 4 * round + 4; step++) {
                // Message n is that of step 2n: -0.5, 0.5, 2.5, 4.5 ...
                const double want = step == 0 ? -0.5 : step == 1 ? 0 : step - 1.5;
                CHECK(in.receive(step) && std::abs(value[0] - (10 * want + 1)) < 1e-9);
                if (step == 3)
                    in.save(file.c_str());
            }
            CHECK(acp_sync() == 0);
        }
    }
    CHECK(model.times().first > 0 && model.times().second >= 0);
}

// The description of the run has a link from rank 0 to the others, which acts in every second step and sends sums. Its state is
// saved and loaded.
void described(int me, int n) {
    std::vector<int> takers(static_cast<std::size_t>(n - 1));
    std::iota(takers.begin(), takers.end(), 1);
    acp::model model = me == 0 ? acp::model("giver", {0}) : acp::model("taker", takers);
    const std::string folder = std::getenv("STATE_FOLDER");
    std::vector<double> value(me == 0 ? static_cast<std::size_t>(n - 1) : 1, -1);
    CHECK_THROWS(acp::links(model, 10), no_such_file_or_directory); // it has no field yet
    acp::model again = me == 0 ? acp::model("giver2", {0}) : acp::model("taker2", takers);
    acp::field field(again, "number", value, acp::ranges{{me == 0 ? 0 : me - 1}, {me == 0 ? n - 1 : 1}});
    for (int round = 0; round < 2; round++) {
        acp::links links(again, 60);
        CHECK(links.handle() != nullptr);
        if (me == 0 && round == 0)
            CHECK_THROWS(links.load(folder.c_str()), no_such_file_or_directory);
        else
            CHECK(links.load(folder.c_str()) == (me == 0 ? 4 : -1)); // only the sender has a state
        for (int step = 5 * round; step < 5 * round + 5; step++)
            if (me == 0) {
                std::fill(value.begin(), value.end(), step);
                links.send(step);
            } else {
                links.receive(step);
                CHECK(value[0] == (step < 2 ? 0 : step / 2 * 4 - 1)); // the sum of an odd step and the even one behind it
            }
        links.save(folder.c_str());
        CHECK(acp_sync() == 0);
        links.close();
    }
}

// Makes a call again as long as its time is over before it ends.
template <class F> std::optional<std::int64_t> insist(F call) {
    for (;;) {
        try {
            return call();
        } catch (const acp::error &e) {
            CHECK(e.code() == std::errc::timed_out);
        }
    }
}

// Weights of cells side by side, of points in rows, and of one masked cell.
void grids() {
    const auto cells = [](int n, double width) {
        std::vector<double> x, y(static_cast<std::size_t>(n), 0.5), corner_x, corner_y;
        for (int i = 0; i < n; i++) {
            x.push_back((i + 0.5) * width);
            for (int k : {0, 1, 1, 0})
                corner_x.push_back((i + k) * width);
            for (int k : {0, 0, 1, 1})
                corner_y.push_back(k);
        }
        acp::grid made(x, y, ACP_PLANE);
        made.corners(corner_x, corner_y, 4);
        CHECK_THROWS(made.corners(corner_x, y, 4), invalid_argument);
        CHECK_THROWS(made.corners(corner_x, corner_y, 2), invalid_argument);
        return made;
    };
    const auto same = [](const acp::made_weights &made, std::vector<std::int64_t> rows, std::vector<std::int64_t> columns, double value) {
        const acp::weights w = made.entries();
        CHECK(std::equal(w.rows.begin(), w.rows.end(), rows.begin(), rows.end()));
        CHECK(std::equal(w.columns.begin(), w.columns.end(), columns.begin(), columns.end()));
        for (double v : w.values)
            CHECK(std::abs(v - value) < 1e-12);
    };
    acp::grid fine = cells(4, 1), coarse = cells(2, 2);
    same(acp::made_weights(fine, coarse, ACP_REGRID_CONSERVATIVE), {0, 0, 1, 1}, {0, 1, 2, 3}, 0.5);
    same(acp::made_weights(fine, coarse, ACP_REGRID_CONSERVATIVE, 0, {1}), {1, 1}, {2, 3}, 0.5);
    same(acp::made_weights(fine, coarse, ACP_REGRID_CONSERVATIVE, 0, {}), {}, {}, 0);
    fine.mask({1, 1, 1, 0});
    CHECK_THROWS(fine.mask({1}), invalid_argument);
    same(acp::made_weights(fine, coarse, ACP_REGRID_CONSERVATIVE, 0, {1}), {1}, {2}, 1);
    const acp::grid rows({0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1}, {2, 3}, ACP_PLANE), middle({0.5}, {0.5}, ACP_PLANE);
    const acp::made_weights around(rows, middle, ACP_REGRID_BILINEAR);
    same(around, {0, 0, 0, 0}, {0, 1, 3, 4}, 0.25);
    const std::vector<int> sizes{2, 3};
    CHECK(rows.points() == 6 && acp::grid({0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1}, sizes).points() == 6);
    CHECK_THROWS(acp::grid({0, 1}, {0}, ACP_PLANE), invalid_argument);
    CHECK_THROWS(acp::made_weights(rows, middle, ACP_REGRID_CONSERVATIVE), invalid_argument);
    coarse.close();
    CHECK_THROWS(acp::made_weights(fine, coarse, ACP_REGRID_NEAREST), bad_file_descriptor);
}

// Rank 0 looks for the x that is half of its cosine and the number of the step. Rank 1 computes the cosines.
void iterations(int me, int n) {
    std::vector<int> others(static_cast<std::size_t>(n - 1));
    std::iota(others.begin(), others.end(), 1);
    double x = 1, y = 0;
    std::vector<int> state{0};
    int mark = 0;
    acp::model model = me == 0 ? acp::model("guess", {0}) : acp::model("cosine", others);
    acp::implicit made(model, me == 0 ? "cosine" : "guess", me == 0);
    acp::implicit both = std::move(made);
    CHECK(made.handle() == ACP_IMPLICIT_NULL);
    CHECK_THROWS(made.begin(), bad_file_descriptor);
    if (me == 0) {
        both.add("x", acp::span<double>(&x, 1));
        both.measure("x", ACP_MEASURE_ABSOLUTE, 1e-12);
        both.accelerate(ACP_METHOD_CONSTANT, 1);
        both.limit(100);
        CHECK_THROWS(both.measure("y", ACP_MEASURE_ABSOLUTE, 1), invalid_argument);
    } else {
        CHECK_THROWS(both.limit(1), invalid_argument);
    }
    both.keep(state);
    both.keep(acp::span<int>(&mark, 1));
    const auto one = [&](double &value) { return acp::span<double>(&value, me <= 1 ? 1 : 0); };
    acp::field given(model, "given", one(x), acp::ranges{{0}, {me <= 1 ? 1 : 0}});
    acp::field answer(model, "answer", one(y), acp::ranges{{0}, {me <= 1 ? 1 : 0}});
    acp::field &from = me == 0 ? given : answer, &to = me == 0 ? answer : given;
    std::optional<acp::outgoing> out;
    if (me == 0)
        out.emplace(from, "cosine.given");
    acp::incoming in(to, me == 0 ? "cosine.answer" : "guess.given");
    if (me != 0)
        out.emplace(from, "guess.answer");
    for (int step = 0; step < 2; step++) {
        int count = 0;
        state[0] = mark = step;
        CHECK(acp_set_timeout(1e-4) == 0);
        for (auto round = insist([&] { return both.begin(); }); round; round = insist([&] { return both.iterate(); })) {
            CHECK(acp_set_timeout(-1) == 0);
            CHECK(state[0] == step && mark == step);
            state[0] = mark = -1;
            count++;
            if (me == 0) {
                CHECK(out->send(*round) && in.receive(*round));
                x = y;
            } else {
                CHECK(in.receive(*round));
                y = std::cos(x) / 2 + step;
                CHECK(out->send(*round));
            }
            CHECK(acp_set_timeout(1e-4) == 0);
        }
        CHECK(acp_set_timeout(-1) == 0);
        CHECK(both.last() == std::pair(count, true) && count > 10);
        CHECK(me > 1 || std::abs(x - (std::cos(x) / 2 + step)) < 1e-9);
    }
    CHECK_THROWS(both.iterate(), invalid_argument);
    both.close();
    CHECK_THROWS(both.close(), bad_file_descriptor);
}

// What is found to be wrong without the other model.
void failures(int me) {
    std::vector<double> values(3);
    std::vector<std::complex<float>> complexes(3);
    const std::string name = "own" + std::to_string(me);
    acp::model own(name.c_str(), {me});
    CHECK_THROWS(acp::model("wrong.name"), invalid_argument);
    CHECK_THROWS(acp::field(own, "few", values, acp::list{{1, 2, 3, 4}}), invalid_argument);
    CHECK_THROWS(acp::field(own, "few", values, acp::ranges{{1}, {2}}, 2), invalid_argument);
    CHECK_THROWS(acp::field(own, "odd", values, acp::ranges{{1, 2}, {2}}), invalid_argument);
    CHECK_THROWS(acp::field(own, "odd", values, acp::block{{3}, {0, 0}, {3}}), invalid_argument);
    CHECK_THROWS(acp::field(own, "twice", values, acp::list{{1, 1, 2}}), file_exists);
    acp::field f(own, "complex", complexes, acp::list{{1, 2, 3}});
    acp::field g = std::move(f);
    CHECK_THROWS(acp::outgoing(g, "nobody.there", acp::link_options{1, 1, 0.01}), timed_out);
    CHECK_THROWS(acp::outgoing(g, "a.b", acp::weights{{1}, {}, {1}}), invalid_argument);
    CHECK_THROWS(f.mask({1, 1, 1}), bad_file_descriptor);
}

} // namespace

int main(int argc, char **argv) {
    const acp::runtime run(argc, argv);
    failures(run.rank());
    if (run.size() == 1)
        return 0;
    if (run.rank() == 0)
        west();
    else
        east(run.rank(), run.size());
    times(run.rank(), run.size());
    described(run.rank(), run.size());
    grids();
    iterations(run.rank(), run.size());
    return 0;
}
