// The air above the ocean of ocean.cc. Each rank has every n-th point of the grid, so its points are a list.
#include <acp.hpp>
#include <acp_couple.hpp>

#include "grid.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

int main(int argc, char **argv) {
    const acp::runtime run(argc, argv);
    const std::vector<int> ranks = run.job_ranks();
    const std::int64_t stride = static_cast<std::int64_t>(ranks.size());
    std::vector<std::int64_t> points;
    for (std::int64_t p = run.rank() - ranks.front(); p < ny * nx; p += stride)
        points.push_back(p);
    std::vector<double> air(points.size(), 10), below(points.size());
    acp::map<int, double> heat = acp::broadcast(acp::map<int, double>(), 0); // rank 0 is of the ocean
    heat.insert(run.rank(), std::accumulate(air.begin(), air.end(), 0.));

    const acp::model model("air");
    const acp::field own(model, "surface", air, acp::list{points});
    const acp::field theirs(model, "below", below, acp::list{points});
    acp::incoming in(theirs, "ocean.surface");
    acp::outgoing out(own, "ocean.air");
    for (int step = 0; step < steps; step++) {
        out.send(step);
        in.receive(step);
        for (std::size_t i = 0; i < air.size(); i++)
            air[i] += exchange * (below[i] - air[i]);
    }
    heat.insert(run.size() + run.rank(), std::accumulate(air.begin(), air.end(), 0.));
    run.sync();
}
