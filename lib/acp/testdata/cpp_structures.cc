// Channels, maps, sets and vectors of acp.hpp, between all ranks.
#include <acp.hpp>

#include "cpp_check.h"

#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

struct point {
    double x, y;
};

// Each rank sends values to the next, and receives those of the rank before.
void channels(int me, int n) {
    CHECK_THROWS(acp::sender<int>(me), invalid_argument);
    if (n == 1)
        return;
    const int next = (me + 1) % n, before = (me + n - 1) % n;
    acp::sender<point> points(next);
    acp::sender<std::string> texts(next);
    acp::receiver<point> points_in(before);
    acp::receiver<std::string> texts_in(before);
    for (int i = 0; i < 10; i++)
        points.send({1. * i, 1. * me});
    texts.send("rank " + std::to_string(me));
    texts.send("");
    texts.send(std::string(100, 'x'));
    for (int i = 0; i < 10; i++) {
        const std::optional<point> p = points_in.receive();
        CHECK(p && p->x == i && p->y == before);
    }
    CHECK(texts_in.receive() == "rank " + std::to_string(before) && texts_in.receive() == "");
    CHECK(texts_in.receive() == std::string(100, 'x'));
    acp::runtime::sync();
    for (const std::size_t size : {1015U, 1016U, 1017U, 3000000U}) {
        const std::string large(size, static_cast<char>('a' + me));
        std::thread sending([&] { texts.send(large); });
        CHECK(texts_in.receive() == std::string(size, static_cast<char>('a' + before)));
        sending.join();
    }
    { const acp::sender<std::string> gone = std::move(texts); }
    CHECK(!texts_in.receive());
    acp::runtime::sync();

    acp::sender<int> wrong(next);
    acp::receiver<double> wrong_in(before);
    wrong.send(1);
    CHECK_THROWS(wrong_in.receive(), bad_message);
    acp::sender<double> longer(next);
    acp::receiver<int> longer_in(before);
    longer.send(1);
    CHECK_THROWS(longer_in.receive(), bad_message);
    if (me == 0) {
        wrong.close();
        wrong_in.close();
    } else {
        wrong_in.close();
        wrong.close();
    }
}

// All ranks insert, and each sees what the others have inserted.
void tables(int me, int n) {
    using words = acp::map<std::string, std::int64_t>;
    const words made = me == 0 ? words::create(64) : words();
    words map = acp::broadcast(made, 0);
    CHECK(map && !words());
    CHECK(map.insert("rank " + std::to_string(me), me));
    CHECK(!map.insert("rank " + std::to_string(me), 7));
    acp::runtime::sync();
    CHECK(map.size() == static_cast<std::size_t>(n) && map.find("rank " + std::to_string(n - 1)) == n - 1);
    CHECK(!map.find("rank") && !map.contains("rank") && map.contains("rank 0"));
    std::map<std::string, std::int64_t> all;
    map.for_each([&](const std::string &key, std::int64_t value) { all[key] = value; });
    CHECK(all.size() == static_cast<std::size_t>(n) && all["rank 0"] == 0);
    CHECK(all["rank " + std::to_string(me)] == me);
    CHECK_THROWS(map.insert("", 1), invalid_argument);
    CHECK_THROWS(words().find("x"), bad_address);
    const acp::map<std::string, int> narrow(map.handle());
    CHECK_THROWS(narrow.find("rank 0"), bad_message);
    acp::runtime::sync();
    CHECK(map.erase("rank " + std::to_string(me)) && !map.erase("rank " + std::to_string(me)));
    acp::runtime::sync();
    CHECK(map.size() == 0);
    acp::runtime::sync();

    acp::map<int, std::string> texts(map.handle());
    const std::string large(5000, static_cast<char>('a' + me));
    CHECK(texts.insert(me, large));
    acp::runtime::sync();
    const int next = (me + 1) % n;
    CHECK(texts.find(next) == std::string(5000, static_cast<char>('a' + next)) && !texts.find(n));
    acp::runtime::sync();
    const acp::owned<words> mine(made);

    acp::owned<acp::set<int>> own(acp::set<int>::create(8, {me}));
    CHECK(own->insert(3) && !own->insert(3) && own->contains(3) && !own->contains(4) && own->insert(4));
    int sum = 0;
    own->for_each([&](int key) { sum += key; });
    CHECK(sum == 7 && own->size() == 2 && own->erase(3) && !own->erase(3));
    own->clear();
    CHECK((*own).size() == 0);
    CHECK_THROWS(acp::set<int>::create(8, {n}), invalid_argument);
}

// A vector on the next rank.
void vectors(int me, int n) {
    acp::owned<acp::vector<point>> v(acp::vector<point>::create((me + 1) % n));
    v->push_back({1, 2});
    const std::vector<point> more(100, point{3, 4});
    v->append(more);
    v->append({});
    CHECK(v->size() == 101 && !v->at(101));
    CHECK(acp::get(v->at(0)).get().y == 2 && acp::get(v->at(100)).get().x == 3);
    CHECK(v->at(0).rank() == (me + 1) % n);
    CHECK(v->pop_back()->x == 3 && v->size() == 100);
    v->clear();
    CHECK(!v->pop_back());
    CHECK_THROWS(acp::vector<int>::create(n), invalid_argument);
    CHECK_THROWS(acp::vector<int>().push_back(1), bad_address);
}

} // namespace

int main(int argc, char **argv) {
    const acp::runtime run(argc, argv);
    channels(run.rank(), run.size());
    tables(run.rank(), run.size());
    vectors(run.rank(), run.size());
    return 0;
}
