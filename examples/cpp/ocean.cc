// An ocean that exchanges heat with the air of air.cc at each point of a grid. Each rank has some rows of the
// grid. The rows next to them come from the neighbours, which put them into its memory.
#include <acp.hpp>
#include <acp_couple.hpp>

#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

constexpr double diffusion = 0.2; // of the difference to a neighbour, in each step

// The rows of this rank, between a row of each neighbour. At the edges of the grid they repeat the outermost
// row.
class rows {
public:
    rows(const acp::runtime &run, const std::vector<int> &ranks)
        : ranks_(ranks), mine_(run.rank() - ranks.front()), first_(at(mine_)), count_(at(mine_ + 1) - first_),
          memory_(static_cast<std::size_t>((count_ + 2) * nx), run.rank()), now_(memory_.local()) {
        std::fill(now_, now_ + memory_.size(), 0);
        for (int y = 0; y < count_ + 2; y++)
            std::fill(row(y), row(y) + nx / 2, 20);
        for (int i = 0; i < static_cast<int>(ranks.size()); i++) {
            const acp::global_ptr<double> of = acp::broadcast(memory_.data(), ranks.front() + i, ranks);
            if (i == mine_ - 1)
                above_ = of + (at(i + 1) - at(i) + 1) * nx;
            if (i == mine_ + 1)
                below_ = of;
        }
    }

    int first() const { return first_; }
    int count() const { return count_; }
    acp::span<double> values() { return {now_, memory_.size()}; }
    double heat() const { return std::accumulate(row(1), row(count_ + 1), 0.); }

    // Gives the neighbours the outermost rows.
    void exchange_rows() {
        acp::future<> up = give(above_, 1, 0), down = give(below_, count_, count_ + 1);
        up.wait();
        down.wait();
        acp::runtime::sync(ranks_);
    }

    // Lets heat flow between neighbours, and between ocean and air.
    void step(const std::vector<double> &air) {
        const std::vector<double> old(now_, now_ + memory_.size());
        for (int y = 1; y <= count_; y++)
            for (int x = 0; x < nx; x++) {
                const std::size_t i = static_cast<std::size_t>(y * nx + x);
                const double west = x > 0 ? old[i - 1] : old[i], east = x + 1 < nx ? old[i + 1] : old[i];
                now_[i] += diffusion * (west + east + old[i - nx] + old[i + nx] - 4 * old[i]) +
                           exchange * (air[i - nx] - old[i]);
            }
        acp::runtime::sync(ranks_); // before neighbours put their rows again
    }

private:
    double *row(int y) const { return now_ + y * nx; }
    int at(int i) const { return ny * i / static_cast<int>(ranks_.size()); }

    acp::future<> give(acp::global_ptr<double> to, int y, int edge) {
        const acp::global_span<const double> all = memory_;
        if (to)
            return acp::put(to, all.subspan(static_cast<std::size_t>(y * nx), nx));
        std::copy(row(y), row(y) + nx, row(edge));
        return {};
    }

    std::vector<int> ranks_;
    int mine_, first_, count_;
    acp::allocation<double> memory_;
    double *now_;
    acp::global_ptr<double> above_, below_;
};

} // namespace

int main(int argc, char **argv) {
    const acp::runtime run(argc, argv);
    const std::vector<int> ranks = run.job_ranks();
    using heats = acp::map<int, double>; // of each rank before, and behind these after
    heats heat = acp::broadcast(run.rank() == 0 ? heats::create(16) : heats(), 0);
    rows ocean(run, ranks);
    heat.insert(run.rank(), ocean.heat());

    const acp::model model("ocean");
    std::vector<double> air(static_cast<std::size_t>(ocean.count() * nx));
    const acp::field surface(model, "surface", ocean.values(),
                             acp::block{{ny, nx}, {ocean.first(), 0}, {ocean.count(), nx}, {1, 0}});
    const acp::field above(model, "air", air, acp::block{{ny, nx}, {ocean.first(), 0}, {ocean.count(), nx}});
    acp::outgoing out(surface, "air.below");
    acp::incoming in(above, "air.surface");
    for (int step = 0; step < steps; step++) {
        out.send(step);
        in.receive(step);
        ocean.exchange_rows();
        ocean.step(air);
    }
    heat.insert(run.size() + run.rank(), ocean.heat());
    run.sync();
    if (run.rank() != 0)
        return 0;
    double before = 0, after = 0;
    heat.for_each([&](int key, double value) { (key < run.size() ? before : after) += value; });
    const int ours = static_cast<int>(ranks.size());
    std::printf("ocean, %d ranks, and air, %d ranks: %d steps, heat %.3f before and %.3f after\n", ours,
                run.size() - ours, steps, before, after);
    return std::abs(after - before) > 1e-6 * before;
}
