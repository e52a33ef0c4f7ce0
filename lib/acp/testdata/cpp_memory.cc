// Pointers, memory, copies and atomics of acp.hpp, between all ranks.
#include <acp.hpp>

#include "cpp_check.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

std::atomic<int> allocations;

} // namespace

// Counts the allocations of this program. They are not inlined: GCC would warn that free gets memory of new.
__attribute__((noinline)) void *operator new(std::size_t n) {
    allocations++;
    if (void *p = std::malloc(n))
        return p;
    throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void *p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void *p, std::size_t) noexcept { std::free(p); }

namespace {

static_assert(sizeof(acp::global_ptr<double>) == sizeof(acp_ga_t), "a pointer is an address of C");
static_assert(std::is_trivially_copyable_v<acp::global_ptr<double>>, "pointers may be sent");
static_assert(std::is_trivially_copyable_v<acp::map<int, double>>, "handles may be sent");
static_assert(!std::is_copy_constructible_v<acp::runtime>, "a process is one rank");
static_assert(!std::is_copy_constructible_v<acp::future<>>, "one waits");

struct point {
    double x, y;
    int n;
};

// The arithmetic and comparisons of pointers, and what belongs to which rank.
void pointers(int me, int n) {
    const acp::global_ptr<int> null, p = acp::starter<int>(me);
    CHECK(!null && null == nullptr && null.rank() == -1 && null.local() == nullptr);
    CHECK(p && p.rank() == me && p.color() == 0 && p.local() != nullptr);
    CHECK((p + 3).ga() == p.ga() + 12 && p + 3 - p == 3 && p - (p + 3) == -3 && (p + 3) - 3 == p);
    CHECK(p < p + 1 && p + 1 > p && p <= p && p >= p && p != p + 1 && 1 + p == p[1]);
    acp::global_ptr<int> q = p;
    CHECK(q++ == p && ++q == p + 2 && q-- == p + 2 && --q == p);
    const acp::global_ptr<const int> c = p;
    CHECK(c == p && c.cast<const char>().ga() == p.ga());
    CHECK(!acp::starter(n) && acp::starter((me + 1) % n).rank() == (me + 1) % n);
    CHECK(n == 1 || acp::starter<int>((me + 1) % n).local() == nullptr);
}

// Values go around the ring of all ranks, by each kind of put and get.
void copies(int me, int n) {
    const int next = (me + 1) % n, before = (me + n - 1) % n;
    acp::allocation<double> mine(1000, me), there(10, next);
    CHECK(there.data().rank() == next && mine.local() != nullptr && there.size() == 10);
    std::vector<acp::global_ptr<double>> of;
    for (int r = 0; r < n; r++)
        of.push_back(acp::broadcast(mine.data(), r));
    acp::runtime::sync();

    std::vector<double> values(300);
    for (std::size_t i = 0; i < values.size(); i++)
        values[i] = 1000 * me + static_cast<double>(i);
    {
        acp::registration registered(values);
        acp::future<> f = acp::put(of[static_cast<std::size_t>(next)], registered);
        acp::put(of[static_cast<std::size_t>(next)] + 300, values, f).wait();
        CHECK(f.ready());
        f.wait();
    }
    acp::put(there.data(), 2.5).wait();
    acp::put(there.data() + 1, {1., 2., 3.}).wait();
    acp::future<> last = acp::copy(there.data() + 4, there.data(), 4);
    last.wait();
    CHECK(acp::get(there.data() + 5).get() == 1 && acp::get(there[7]).get() == 3);
    acp::runtime::sync();
    for (std::size_t i = 0; i < 600; i++)
        CHECK(mine.local()[i] == 1000 * before + static_cast<double>(i % 300));

    std::array<double, 3> some{};
    acp::get(some, there.data() + 1);
    CHECK(some[0] == 1 && some[1] == 2 && some[2] == 3);
    acp::allocation<double> fetched(4, me);
    acp::get(fetched, there.data()).wait();
    CHECK(fetched.local()[0] == 2.5 && fetched.local()[3] == 3);
    const acp::global_ptr<const double> third = there.data() + 2;
    acp::get(acp::global_span<double>(fetched).first(2), third).wait();
    CHECK(fetched.local()[0] == 2 && fetched.local()[1] == 3 && fetched.local()[2] == 2);
#if __cplusplus >= 202002L
    acp::put(there.data(), std::span<const double>(values).first(5)).wait();
    acp::get(std::span<double>(some), there.data() + 2);
    CHECK(some[2] == 1000 * me + 4);
#endif
    acp::allocation<point> points(2, next);
    acp::put(points[1], point{1, 2, 3}).wait();
    CHECK(acp::get(points[1]).get().n == 3);
    acp::future<> detached = acp::copy(there.data(), there.data() + 4, 1);
    detached.detach();
    acp::runtime::complete();
    acp::runtime::sync();
}

// More futures than slots are under way at a time, and each has its own value.
void many(int me, int n) {
    acp::allocation<std::int64_t> there(200, (me + 1) % n);
    std::vector<acp::future<>> puts;
    for (std::size_t i = 0; i < 200; i++)
        puts.push_back(acp::put(there[i], static_cast<std::int64_t>(i * i)));
    puts.clear();
    std::vector<acp::future<std::int64_t>> gets;
    for (std::size_t i = 0; i < 200; i++)
        gets.push_back(acp::get(there[i]));
    for (std::size_t i = 0; i < 200; i++)
        CHECK(gets[i].get() == static_cast<std::int64_t>(i * i));
    acp::allocation<std::array<char, 300>> large(1, (me + 1) % n);
    std::array<char, 300> text{};
    text[299] = 'x';
    acp::put(large[0], text).wait();
    CHECK(acp::get(large[0]).get()[299] == 'x');
}

// All threads of all ranks change the values of rank 0.
void atomics(int me, int n) {
    acp::allocation<std::int64_t> words(8, me);
    const acp::global_ptr<std::int64_t> first = acp::broadcast(words.data(), 0);
    const auto narrow = (first + 4).cast<std::uint32_t>();
    if (me == 0)
        for (std::size_t i = 0; i < 8; i++)
            words.local()[i] = 0;
    acp::runtime::sync();
    auto add = [&] {
        for (int i = 0; i < 500; i++) {
            acp::fetch_add(first, me + 1).get();
            acp::future<std::uint32_t> f = acp::fetch_add(narrow, 1U);
            for (std::int64_t old = 0;;) {
                const std::int64_t was = acp::cas(first + 1, old, old + 2).get();
                if (was == old)
                    break;
                old = was;
            }
        }
    };
    std::thread other(add);
    add();
    other.join();
    acp::runtime::sync();
    CHECK(acp::get(first).get() == 1000 * n * (n + 1) / 2);
    CHECK(acp::get(first + 1).get() == 2000 * n);
    CHECK(acp::get(narrow).get() == static_cast<std::uint32_t>(1000 * n));
    acp::runtime::sync();
    if (me == n - 1) {
        CHECK(acp::swap(first + 2, 12).get() == 0 && acp::fetch_or(first + 2, 3).get() == 12);
        CHECK(acp::fetch_and(first + 2, 5).get() == 15 && acp::fetch_xor(first + 2, 4).get() == 5);
        CHECK(acp::get(first + 2).get() == 1);
        const auto real = (first + 3).cast<double>();
        CHECK(acp::swap(real, 0.5).get() == 0 && acp::cas(real, 0.5, 1.5).get() == 0.5);
        CHECK(acp::get(real).get() == 1.5);
    }
    acp::runtime::sync();
}

// Slots of threads that have ended, and of futures that end in another thread, are free again.
void threads(int me) {
    acp::allocation<int> word(1, me);
    *word.local() = -1;
    for (int i = 0; i < 200; i++) {
        acp::future<int> before;
        std::thread other([&] {
            before = acp::swap(word.data(), i);
            CHECK(i % 2 == 0 || acp::get(word.data()).get() == i);
        });
        other.join();
        CHECK(before.get() == i - 1);
    }
    CHECK(__builtin_popcountll(acp::detail::own_slots.free) >= 63); // this thread keeps one at most
}

// A key whose codec uses the library: the memory of the key is in use meanwhile.
struct numbered {
    std::int64_t number;
};

acp::map<std::int64_t, std::int64_t> *numbers_of = nullptr;
acp::global_ptr<std::int64_t> looked_up;

} // namespace

template <> struct acp::codec<numbered> {
    static constexpr std::size_t fixed = sizeof(std::int64_t);
    static std::size_t size(const numbered &) noexcept { return fixed; }
    static void write(const numbered &key, void *to) noexcept {
        const std::int64_t found = numbers_of->find(key.number).value_or(-1);
        acp::fetch_add(looked_up, 1).get();
        std::memcpy(to, &found, sizeof found);
    }
    static numbered read(const void *from, std::size_t) noexcept {
        numbered key{};
        std::memcpy(&key.number, from, sizeof key.number);
        return key;
    }
};

namespace {

void nested(int me) {
    acp::allocation<std::int64_t> count(1, me);
    *count.local() = 0;
    looked_up = count.data();
    const int self[]{me};
    acp::owned<acp::map<std::int64_t, std::int64_t>> numbers(acp::map<std::int64_t, std::int64_t>::create(8, self));
    acp::owned<acp::map<numbered, std::int64_t>> names(acp::map<numbered, std::int64_t>::create(8, self));
    numbers_of = &*numbers;
    for (std::int64_t i = 0; i < 100; i++) {
        CHECK(numbers->insert(i, 1000 + i) && names->insert(numbered{i}, -i));
        CHECK(names->find(numbered{i}) == -i && acp::get(count.data()).get() == 2 * (i + 1));
    }
    names->for_each([](const numbered &key, std::int64_t value) { CHECK(key.number == 1000 - value); });
    CHECK(__builtin_popcountll(acp::detail::own_slots.free) >= 62); // two at a time, and none is lost
}

// Transfers, atomics and look-ups allocate nothing.
void costs(int me, int n) {
    acp::allocation<std::int64_t> mine(4, me), there(4, (me + 1) % n);
    acp::owned<acp::map<std::int64_t, double>> own(acp::map<std::int64_t, double>::create(8));
    const acp::map<std::int64_t, double> map = *own;
    acp::map<std::int64_t, double>(map).insert(5, 2.5);
    const int before = allocations;
    acp::future<> f = acp::put(there.data(), mine);
    acp::get(mine, there.data(), f).wait();
    acp::put(there[1], 4, acp::order::all()).wait();
    CHECK(acp::get(there[1]).get() == 4 && acp::fetch_add(there[1], 1).get() == 4);
    CHECK(map.find(5) == 2.5 && !map.find(6) && !map.contains(7));
    CHECK(allocations == before);
}

// Both forms of failures.
void failures(int me, int n) {
    std::error_code ec;
    const acp::allocation<int> none(1, n, ec);
    CHECK(ec == std::errc::invalid_argument && none.size() == 0 && !none.data());
    CHECK(acp::allocation<double>(~std::size_t{0}, me, ec).size() == 0 && ec == std::errc::not_enough_memory);
    CHECK_THROWS(acp::allocation<int>(1, n), invalid_argument);
    const acp::global_ptr<int> null, odd(acp::starter(me).ga() + 1);
    CHECK_THROWS(acp::put(null, 1), bad_address);
    CHECK_THROWS(acp::get(null), bad_address);
    CHECK_THROWS(acp::fetch_add(odd, 1), invalid_argument);
    CHECK_THROWS(acp::copy(null, null, 1), bad_address);
    CHECK(acp::put(null, 1, {}, ec).handle() == ACP_HANDLE_NULL && ec == std::errc::bad_address);
    CHECK(acp::get(null, {}, ec).handle() == ACP_HANDLE_NULL && ec == std::errc::bad_address);
    std::vector<int> values(3);
    CHECK_THROWS(acp::registration<int>(values, acp_colors()), invalid_argument);
    CHECK_THROWS(acp::get(values, null), bad_address);
    acp::registration<int> registered(values, 0, ec);
    CHECK(!ec && registered.data().local() == values.data() && registered.local().size() == 3);
    CHECK(acp::put(registered[1], 7, {}, ec).handle() != ACP_HANDLE_NULL && !ec);
    CHECK(values[1] == 7);
    CHECK_THROWS(acp::future<int>().get(), invalid_argument);
    acp::runtime::sync(ec);
    CHECK(!ec);
    const std::vector<int> job = acp::runtime::job_ranks();
    CHECK(job.size() == static_cast<std::size_t>(n) && job[static_cast<std::size_t>(me)] == me);
    acp::runtime::sync(job);
    CHECK_THROWS(acp::runtime::sync({n}), invalid_argument);
    CHECK_THROWS(acp::broadcast(me, n), invalid_argument);
}

} // namespace

int main(int argc, char **argv) {
    acp::runtime first(argc, argv);
    acp::runtime run = std::move(first);
    CHECK(run.rank() == acp_rank() && run.size() == acp_procs());
    CHECK_THROWS(acp::runtime(), connection_already_in_progress);
    pointers(run.rank(), run.size());
    copies(run.rank(), run.size());
    many(run.rank(), run.size());
    atomics(run.rank(), run.size());
    threads(run.rank());
    nested(run.rank());
    costs(run.rank(), run.size());
    failures(run.rank(), run.size());
    run.sync();
    acp::runtime::reset(run.size() - 1 - run.rank());
    many(run.rank(), run.size());
    threads(run.rank());
    nested(run.rank());
    run.finalize();
    CHECK(acp::runtime::rank() == -1);
    CHECK_THROWS(acp::runtime::sync(), operation_not_permitted);
    return 0;
}
