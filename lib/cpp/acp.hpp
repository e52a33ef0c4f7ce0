// acp.hpp - the interface of acp.h for C++17 and later. It consists of headers alone: link libacp or libmacp.
//
//     acp::runtime run(argc, argv);
//     acp::allocation<int> mine(1, run.rank());
//     acp::global_ptr<int> first = acp::broadcast(mine.data(), 0);
//     acp::fetch_add(first, run.rank()).get();
//     run.sync();
//
// acp.h says of each function more than the comments here: which memory it needs, and when it fails. Both
// interfaces may be used in one program. docs/cpp.md explains this one. acp_couple.hpp has coupling.
#ifndef GOACP_ACP_HPP
#define GOACP_ACP_HPP

#include "acp_atomic.hpp"
#include "acp_channel.hpp"
#include "acp_deque.hpp"
#include "acp_error.hpp"
#include "acp_list.hpp"
#include "acp_memory.hpp"
#include "acp_multiset.hpp"
#include "acp_runtime.hpp"
#include "acp_segbuf.hpp"
#include "acp_span.hpp"
#include "acp_structure.hpp"
#include "acp_table.hpp"
#include "acp_transfer.hpp"
#include "acp_vector.hpp"
#include "acp_workspace.hpp"

#endif
