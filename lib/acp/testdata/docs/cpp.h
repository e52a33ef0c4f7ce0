// What the code in docs/cpp.md uses without declaring it.

#include <acp.hpp>
#include <acp_couple.hpp>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace manual {

extern acp::runtime run;
extern acp::global_ptr<double> to;
extern acp::global_ptr<int> ready, lock;
extern acp::allocation<double> block;
extern std::vector<double> temperature, below;
extern acp::model sea;
extern acp::outgoing to_ice;
extern acp::incoming from_ice;
extern std::vector<std::int64_t> cells;
extern int row, rows, steps;
enum { NX = 12, NY = 8 };

void compute();

} // namespace manual
