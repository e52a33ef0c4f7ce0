// Deques, lists, multisets, workspaces and segmented buffers of acp.hpp, between all ranks.
#include <acp.hpp>

#include "cpp_check.h"

#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

struct point {
    double x, y;
    bool operator==(const point &other) const { return x == other.x && y == other.y; }
};

std::mt19937 numbers;

int below(int n) { return static_cast<int>(numbers() % static_cast<unsigned>(n)); }

// A deque on the next rank, and a std::deque, get the same operations.
void deques(int me, int n) {
    acp::owned<acp::deque<point>> d(acp::deque<point>::create((me + 1) % n));
    std::deque<point> model;
    for (int i = 0; i < 500; i++) {
        const point p{1. * i, 1. * me};
        switch (below(6)) {
        case 0:
            d->push_back(p);
            model.push_back(p);
            break;
        case 1:
            d->push_front(p);
            model.push_front(p);
            break;
        case 2: {
            const std::vector<point> more(static_cast<std::size_t>(below(5)), p);
            d->prepend(more);
            model.insert(model.begin(), more.begin(), more.end());
            d->append(more);
            model.insert(model.end(), more.begin(), more.end());
            break;
        }
        case 3: {
            const std::optional<point> last = d->pop_back();
            CHECK(last.has_value() == !model.empty() && (!last || *last == model.back()));
            if (last)
                model.pop_back();
            break;
        }
        case 4: {
            const std::optional<point> first = d->pop_front();
            CHECK(first.has_value() == !model.empty() && (!first || *first == model.front()));
            if (first)
                model.pop_front();
            break;
        }
        default:
            if (!model.empty()) {
                const std::size_t at = static_cast<std::size_t>(below(static_cast<int>(model.size())));
                CHECK(d->get(at) == model[at]);
            }
        }
        CHECK(d->size() == model.size() && !d->get(model.size()));
    }
    for (std::size_t i = 0; i < model.size(); i++)
        CHECK(d->get(i) == model[i]);
    d->clear();
    CHECK(d->size() == 0 && !d->pop_front() && !acp::deque<int>());
    CHECK_THROWS(acp::deque<int>::create(n), invalid_argument);
    CHECK_THROWS(acp::deque<int>().push_back(1), bad_address);
    acp::deque<char>(d->handle()).append(std::vector<char>(sizeof(point) + 3));
    CHECK(d->size() == 1 && !d->get(1) && d->pop_back() && d->size() == 0);
    CHECK_THROWS(d->pop_front(), bad_message);
    CHECK(!d->pop_front());
}

// A list on this rank, whose elements lie on all ranks.
void lists(int me, int n) {
    using words = acp::linked_list<std::string>;
    acp::owned<words> l(words::create(me));
    CHECK(!l->front() && !l->back() && !l->pop_front() && !l->pop_back() && l->size() == 0);
    std::deque<std::string> model;
    for (int i = 0; i < 200; i++) {
        const std::string word(static_cast<std::size_t>(1 + below(300)), static_cast<char>('a' + below(3)));
        switch (below(5)) {
        case 0:
            l->push_front(word, below(n));
            model.push_front(word);
            break;
        case 1:
            l->push_back(word);
            model.push_back(word);
            break;
        case 2:
            l->push_back(word, below(n));
            model.push_back(word);
            break;
        case 3:
            CHECK(l->front().has_value() == !model.empty() && (model.empty() || l->front() == model.front()));
            CHECK(model.empty() || l->pop_front() == model.front());
            if (!model.empty())
                model.pop_front();
            break;
        default:
            CHECK(l->back().has_value() == !model.empty() && (model.empty() || l->back() == model.back()));
            CHECK(model.empty() || l->pop_back() == model.back());
            if (!model.empty())
                model.pop_back();
        }
        CHECK(l->size() == model.size());
    }
    l->push_back("twice");
    l->push_front("twice");
    l->remove("twice");
    l->reverse();
    std::vector<std::string> found;
    l->for_each([&](const std::string &word) { found.push_back(word); });
    CHECK(std::vector<std::string>(model.rbegin(), model.rend()) == found);
    std::size_t visited = 0; // the new elements are not visited
    l->for_each([&](const std::string &word) {
        l->push_back("last");
        l->push_front("first");
        CHECK(word == found[visited++]);
    });
    CHECK(visited == found.size() && l->size() == 3 * found.size());
    l->clear();
    CHECK(l->size() == 0);
    CHECK_THROWS(words().front(), bad_address);
    CHECK_THROWS(words().pop_front(), bad_address);
    CHECK_THROWS(words().back(), invalid_argument);
    CHECK_THROWS(words().pop_back(), invalid_argument);
    CHECK_THROWS(words().for_each([](const std::string &) {}), bad_address);
    acp::owned<acp::linked_list<int>> few(acp::linked_list<int>::create((me + 1) % n));
    few->push_front(5);
    CHECK(few->pop_back() == 5);
    CHECK_THROWS(l->push_back("x", n), invalid_argument);
    CHECK_THROWS(l->push_back(""), invalid_argument);
    CHECK_THROWS(words::create(n), invalid_argument);
}

// All ranks insert into one multiset.
void multisets(int me, int n) {
    using words = acp::multiset<std::string>;
    const words made = me == 0 ? words::create(64) : words();
    words set = acp::broadcast(made, 0);
    set.insert("all");
    CHECK(set.insert("rank " + std::to_string(me)) && !set.insert("rank " + std::to_string(me)));
    acp::runtime::sync();
    const std::uint64_t ranks = static_cast<std::uint64_t>(n);
    CHECK(set.count("all") == ranks && set.count("rank 0") == 2 && set.count("none") == 0);
    CHECK(set.size() == ranks + 1);
    std::map<std::string, int> keys;
    set.for_each([&](const std::string &key) { keys[key]++; });
    CHECK(keys.size() == ranks + 1 && keys["all"] == 1);
    acp::runtime::sync();
    CHECK(set.erase("all") && !set.erase("none"));
    CHECK(set.erase("rank " + std::to_string(me)) && set.count("rank " + std::to_string(me)) == 1);
    set.erase_all("rank " + std::to_string(me));
    acp::runtime::sync();
    CHECK(set.size() == 0);
    acp::runtime::sync();
    const acp::owned<words> mine(made);
    CHECK_THROWS(words::create(8, {n}), invalid_argument);
    CHECK_THROWS(words().insert("x"), bad_address);
}

// A workspace of several pieces, of which each rank writes some elements.
void workspaces(int me, int n) {
    CHECK(acp_setparams_ws(0, 1000) == 0);
    acp::workspace<double> w(400);
    CHECK(w.size() == 400);
    for (int i = me; i < 400; i += n)
        w.write(static_cast<std::size_t>(i), 2. * i);
    acp::runtime::sync();
    std::vector<double> all(400);
    w.read(0, all);
    for (std::size_t i = 0; i < 400; i++)
        CHECK(all[i] == 2. * static_cast<double>(i));
    CHECK(w.read(399) == 798);
    CHECK_THROWS(w.read(400), invalid_argument);
    const std::size_t round = ~std::size_t{0} / sizeof(double) + 1; // the offset in bytes is 0 again
    CHECK_THROWS(w.read(round), invalid_argument);
    CHECK_THROWS(w.write(round, 1.), invalid_argument);
    CHECK_THROWS(w.write(399, {1., 2.}), invalid_argument);
    CHECK_THROWS(acp::workspace<double>(round), not_enough_memory);
    CHECK(w.read(0) == 0 && w.read(399) == 798);
    acp::runtime::sync();
    if (me == 0)
        w.write(100, std::vector<double>(200, -1));
    acp::runtime::sync();
    acp::workspace<double> moved(std::move(w));
    CHECK_THROWS(w.read(0), invalid_argument);
    CHECK(w.size() == 0 && moved.read(299) == -1 && moved.read(300) == 600 && moved.read(99) == 198);
}

// A rank at both ends. An end that cannot be closed yet stays as it is.
void own_segments(int me) {
    std::vector<int> mine(4), theirs(4);
    acp::segment_source<int> out(me, mine, 2);
    CHECK_THROWS(out.disconnect(), not_connected);
    CHECK_THROWS(out.close(), not_connected);
    acp::segment_sink<int> in(me, theirs, 2);
    out.connect();
    in.connect();
    out.room()[1] = 7;
    out.publish();
    acp::span<const int> filled;
    while (filled.empty())
        filled = in.next();
    CHECK(filled[1] == 7);
    out.disconnect();
    in.disconnect();
    out.close();
    in.close();
}

// Each rank fills segments for the next one.
void segments(int me, int n) {
    if (n == 1)
        return;
    const int next = (me + 1) % n, before = (me + n - 1) % n;
    std::vector<int> mine(12), theirs(12);
    CHECK_THROWS(acp::segment_source<int>(next, mine, 5), invalid_argument);
    acp::segment_source<int> out(next, mine, 3);
    acp::segment_sink<int> in(before, theirs, 3);
    out.connect();
    in.connect();
    for (int sent = 0, got = 0; sent < 100 || got < 100;) {
        if (sent < 100) {
            const acp::span<int> room = out.room();
            for (std::size_t i = 0; i < room.size(); i++)
                room[i] = 1000 * me + sent + static_cast<int>(i);
            if (room.size() == 3) {
                out.publish();
                sent++;
            }
        }
        const acp::span<const int> filled = in.next();
        if (filled.size() == 0)
            continue;
        CHECK(filled.size() == 3 && filled[0] == 1000 * before + got && filled[2] == filled[0] + 2);
        in.give_back();
        got++;
    }
    CHECK_THROWS(in.give_back(), resource_unavailable_try_again);
    acp::segment_source<int> source(std::move(out));
    CHECK_THROWS(out.room(), invalid_argument);
    CHECK(source.handle() != ACP_SEGBUF_NULL && out.handle() == ACP_SEGBUF_NULL);
    source.disconnect();
    CHECK_THROWS(source.room(), not_connected);
    in.disconnect();
    source.close();
    in.close();
    CHECK_THROWS(in.close(), invalid_argument);
}

} // namespace

int main(int argc, char **argv) {
    const acp::runtime run(argc, argv);
    const char *seed = std::getenv("CHECK_SEED"); // the test shows it
    numbers.seed(static_cast<unsigned>(std::strtoul(seed != nullptr ? seed : "1", nullptr, 10)) +
                 static_cast<unsigned>(run.rank()));
    deques(run.rank(), run.size());
    lists(run.rank(), run.size());
    multisets(run.rank(), run.size());
    workspaces(run.rank(), run.size());
    own_segments(run.rank());
    segments(run.rank(), run.size());
    return 0;
}
