// Sends back what echoed/main.go sends. It is rank 1.
#include <acp.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace {

struct point {
    double x;
    std::int64_t n;
};

template <class T> void echo() {
    acp::receiver<T> in(0);
    acp::sender<T> out(0);
    while (const std::optional<T> value = in.receive())
        out.send(*value);
    in.close();
}

} // namespace

int main(int argc, char **argv) {
    const acp::runtime run(argc, argv);
    echo<std::string>();
    echo<point>();
}
